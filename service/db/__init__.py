"""The database: sessions, models, migrations, its clock."""
