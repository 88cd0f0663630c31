"""The first tables

Revision: 0001, after None
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "bookmark",
        sa.Column("name", sa.String(length=16), nullable=False),
        sa.Column("place", sa.String(length=40), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_bookmark")),
    )
    op.create_table(
        "heartbeat",
        sa.Column("lane", sa.String(length=16), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("every", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("lane", name=op.f("pk_heartbeat")),
    )
    op.create_table(
        "picture",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("png", sa.LargeBinary(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_picture")),
    )
    with op.batch_alter_table("picture", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_picture_made_at"), ["made_at"], unique=False)

    op.create_table(
        "person",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=True),
        sa.Column("owner_id", sa.String(length=16), nullable=True),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("time_zone", sa.String(length=64), nullable=False),
        sa.Column("sleep_from", sa.String(length=5), nullable=True),
        sa.Column("sleep_to", sa.String(length=5), nullable=True),
        sa.Column("mail", sa.Text(), nullable=False),
        sa.Column("unreachable_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("calendar", sa.Integer(), server_default="1", nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("absences", sa.Text(), nullable=False),
        sa.Column("last_event", sa.Integer(), nullable=False),
        sa.Column("noticed", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["person.id"], name=op.f("fk_person_owner_id_person")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person")),
        sa.UniqueConstraint("email", name=op.f("uq_person_email")),
    )
    with op.batch_alter_table("person", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_person_owner_id"), ["owner_id"], unique=False)
        batch_op.create_index(
            "ix_person_to_notice",
            ["id"],
            unique=False,
            sqlite_where=sa.text("last_event > noticed"),
            postgresql_where=sa.text("last_event > noticed"),
        )

    op.create_table(
        "sign_in",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("code_digest", sa.String(length=64), nullable=False),
        sa.Column("link_digest", sa.String(length=64), nullable=False),
        sa.Column("next_path", sa.String(length=200), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_in")),
        sa.UniqueConstraint("link_digest", name=op.f("uq_sign_in_link_digest")),
    )
    with op.batch_alter_table("sign_in", schema=None) as batch_op:
        batch_op.create_index("ix_sign_in_email_created_at", ["email", "created_at"], unique=False)

    op.create_table(
        "credential",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("person_id", sa.String(length=16), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("prefix", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("scopes", sa.String(length=200), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_credential_person_id_person")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_credential")),
        sa.UniqueConstraint("digest", name=op.f("uq_credential_digest")),
    )
    with op.batch_alter_table("credential", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_credential_person_id"), ["person_id"], unique=False)

    op.create_table(
        "game",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("game", sa.String(length=32), nullable=False),
        sa.Column("rules", sa.Integer(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("clock", sa.Text(), nullable=False),
        sa.Column("title", sa.String(length=80), nullable=False),
        sa.Column("visibility", sa.String(length=12), nullable=False),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("host_id", sa.String(length=16), nullable=False),
        sa.Column("rematch_of", sa.String(length=16), nullable=True),
        sa.Column("seed", sa.LargeBinary(length=32), nullable=True),
        sa.Column("commitment", sa.String(length=64), nullable=True),
        sa.Column("opening", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=True),
        sa.Column("moves", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("moved_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("clocks_from", sa.DateTime(timezone=True), nullable=True),
        sa.Column("paused_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("paused_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("frozen_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("frozen_why", sa.String(length=200), nullable=True),
        sa.ForeignKeyConstraint(["host_id"], ["person.id"], name=op.f("fk_game_host_id_person")),
        sa.ForeignKeyConstraint(["rematch_of"], ["game.id"], name=op.f("fk_game_rematch_of_game")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_game")),
        sa.UniqueConstraint("rematch_of", name=op.f("uq_game_rematch_of")),
    )
    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_game_host_id"), ["host_id"], unique=False)
        batch_op.create_index(
            "ix_game_paused_until",
            ["paused_until"],
            unique=False,
            sqlite_where=sa.text("paused_until IS NOT NULL"),
            postgresql_where=sa.text("paused_until IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_game_status_visibility_created_at",
            ["status", "visibility", "created_at", "id"],
            unique=False,
        )

    op.create_table(
        "kept_answer",
        sa.Column("person_id", sa.String(length=16), nullable=False),
        sa.Column("key", sa.String(length=200), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("headers", sa.Text(), nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_kept_answer_person_id_person")
        ),
        sa.PrimaryKeyConstraint("person_id", "key", name=op.f("pk_kept_answer")),
    )
    with op.batch_alter_table("kept_answer", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_kept_answer_created_at"), ["created_at"], unique=False)

    op.create_table(
        "webhook",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("person_id", sa.String(length=16), nullable=False),
        sa.Column("url", sa.String(length=500), nullable=False),
        sa.Column("types", sa.Text(), nullable=False),
        sa.Column("secret", sa.String(length=100), nullable=False),
        sa.Column("old_secret", sa.String(length=100), nullable=True),
        sa.Column("old_secret_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("told", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("failing_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("disabled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("disabled_why", sa.String(length=8), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_webhook_person_id_person")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook")),
    )
    with op.batch_alter_table("webhook", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_webhook_person_id"), ["person_id"], unique=False)

    op.create_table(
        "delivery",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("webhook_id", sa.String(length=16), nullable=False),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("type", sa.String(length=32), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("error", sa.String(length=300), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_try_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("tried_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["webhook_id"],
            ["webhook.id"],
            name=op.f("fk_delivery_webhook_id_webhook"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_delivery")),
    )
    with op.batch_alter_table("delivery", schema=None) as batch_op:
        batch_op.create_index(
            "ix_delivery_due_next_try_at",
            ["next_try_at"],
            unique=False,
            sqlite_where=sa.text("next_try_at IS NOT NULL"),
            postgresql_where=sa.text("next_try_at IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_delivery_webhook_id_created_at", ["webhook_id", "created_at"], unique=False
        )

    op.create_table(
        "event",
        sa.Column("person_id", sa.String(length=16), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("type", sa.String(length=32), nullable=False),
        sa.Column("game_id", sa.String(length=16), nullable=True),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_event_game_id_game")),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_event_person_id_person")
        ),
        sa.PrimaryKeyConstraint("person_id", "number", name=op.f("pk_event")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "invitation",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("game_id", sa.String(length=16), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=True),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("invited_by", sa.String(length=16), nullable=False),
        sa.Column("used_by", sa.String(length=16), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_invitation_game_id_game")),
        sa.ForeignKeyConstraint(
            ["invited_by"], ["person.id"], name=op.f("fk_invitation_invited_by_person")
        ),
        sa.ForeignKeyConstraint(
            ["used_by"], ["person.id"], name=op.f("fk_invitation_used_by_person")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
        sa.UniqueConstraint("digest", name=op.f("uq_invitation_digest")),
    )
    with op.batch_alter_table("invitation", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_invitation_email"), ["email"], unique=False)
        batch_op.create_index(batch_op.f("ix_invitation_game_id"), ["game_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_invitation_invited_by"), ["invited_by"], unique=False)

    op.create_table(
        "letter",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("to", sa.String(length=254), nullable=False),
        sa.Column("person_id", sa.String(length=16), nullable=True),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("game_id", sa.String(length=16), nullable=True),
        sa.Column("decision", sa.String(length=40), nullable=True),
        sa.Column("facts", sa.Text(), nullable=False),
        sa.Column("subject", sa.String(length=200), nullable=True),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("html", sa.Text(), nullable=True),
        sa.Column("picture", sa.String(length=64), nullable=True),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("reason", sa.String(length=40), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("claim", sa.String(length=16), nullable=True),
        sa.Column("claims", sa.Integer(), server_default="0", nullable=False),
        sa.Column("error", sa.String(length=300), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_try_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_letter_game_id_game")),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_letter_person_id_person")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_letter")),
        sa.UniqueConstraint(
            "person_id", "number", "kind", name=op.f("uq_letter_person_id_number_kind")
        ),
    )
    with op.batch_alter_table("letter", schema=None) as batch_op:
        batch_op.create_index(
            "ix_letter_due_next_try_at",
            ["next_try_at"],
            unique=False,
            sqlite_where=sa.text("next_try_at IS NOT NULL"),
            postgresql_where=sa.text("next_try_at IS NOT NULL"),
        )
        batch_op.create_index(batch_op.f("ix_letter_game_id"), ["game_id"], unique=False)
        batch_op.create_index("ix_letter_state", ["state"], unique=False)
        batch_op.create_index(batch_op.f("ix_letter_to"), ["to"], unique=False)

    op.create_table(
        "bounce",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("address", sa.String(length=254), nullable=False),
        sa.Column("letter_id", sa.String(length=16), nullable=True),
        sa.Column("hard", sa.Boolean(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("said", sa.String(length=300), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["letter_id"],
            ["letter.id"],
            name=op.f("fk_bounce_letter_id_letter"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bounce")),
    )
    with op.batch_alter_table("bounce", schema=None) as batch_op:
        batch_op.create_index("ix_bounce_address_at", ["address", "at"], unique=False)

    op.create_table(
        "incoming",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("letter_id", sa.String(length=16), nullable=False),
        sa.Column("purpose", sa.String(length=8), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("sender", sa.String(length=254), nullable=False),
        sa.Column("via", sa.String(length=8), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=True),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("reason", sa.String(length=40), nullable=True),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_try_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("done_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["letter_id"],
            ["letter.id"],
            name=op.f("fk_incoming_letter_id_letter"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_incoming")),
        sa.UniqueConstraint(
            "letter_id",
            "purpose",
            "fingerprint",
            name=op.f("uq_incoming_letter_id_purpose_fingerprint"),
        ),
    )
    with op.batch_alter_table("incoming", schema=None) as batch_op:
        batch_op.create_index(
            "ix_incoming_due_next_try_at",
            ["next_try_at"],
            unique=False,
            sqlite_where=sa.text("next_try_at IS NOT NULL"),
            postgresql_where=sa.text("next_try_at IS NOT NULL"),
        )
        batch_op.create_index("ix_incoming_received_at", ["received_at"], unique=False)
        batch_op.create_index(
            "ix_incoming_sender_received_at", ["sender", "received_at"], unique=False
        )

    op.create_table(
        "message",
        sa.Column("game_id", sa.String(length=16), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.String(length=16), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_message_game_id_game")),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_message_person_id_person")
        ),
        sa.PrimaryKeyConstraint("game_id", "n", name=op.f("pk_message")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "move",
        sa.Column("game_id", sa.String(length=16), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("decision", sa.String(length=40), nullable=False),
        sa.Column("move", sa.Text(), nullable=False),
        sa.Column("via", sa.String(length=8), nullable=False),
        sa.Column("chance", sa.Text(), nullable=False),
        sa.Column("events", sa.Text(), nullable=False),
        sa.Column("scores", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("n > 0", name=op.f("ck_move_numbered_from_one")),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_move_game_id_game")),
        sa.PrimaryKeyConstraint("game_id", "n", name=op.f("pk_move")),
        sa.UniqueConstraint("game_id", "decision", name=op.f("uq_move_game_id_decision")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "seat",
        sa.Column("game_id", sa.String(length=16), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.String(length=16), nullable=True),
        sa.Column("bot", sa.Boolean(), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("wishes", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("quiet", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("bank", sa.Integer(), nullable=True),
        sa.Column("resigned_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("wants_to_end", sa.Boolean(), nullable=False),
        sa.Column("wants_pause", sa.Boolean(), nullable=False),
        sa.Column("misses", sa.Integer(), nullable=False),
        sa.Column("away_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("absence_used", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_seat_game_id_game")),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_seat_person_id_person")
        ),
        sa.PrimaryKeyConstraint("game_id", "number", name=op.f("pk_seat")),
        sa.UniqueConstraint("game_id", "person_id", name=op.f("uq_seat_game_id_person_id")),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("seat", schema=None) as batch_op:
        batch_op.create_index("ix_seat_person_id", ["person_id"], unique=False)

    op.create_table(
        "decision",
        sa.Column("game_id", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.String(length=16), nullable=True),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("allowed", sa.Integer(), nullable=True),
        sa.Column("stands", sa.Text(), nullable=True),
        sa.Column("held", sa.Integer(), nullable=False),
        sa.Column("left", sa.Integer(), nullable=True),
        sa.Column("remind_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("via", sa.String(length=8), nullable=True),
        sa.ForeignKeyConstraint(
            ["game_id", "seat"],
            ["seat.game_id", "seat.number"],
            name=op.f("fk_decision_game_id_seat"),
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_decision_person_id_person")
        ),
        sa.PrimaryKeyConstraint("game_id", "id", name=op.f("pk_decision")),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("decision", schema=None) as batch_op:
        batch_op.create_index(
            "ix_decision_open_due_at",
            ["due_at"],
            unique=False,
            sqlite_where=sa.text("closed_at IS NULL"),
            postgresql_where=sa.text("closed_at IS NULL"),
        )
        batch_op.create_index(
            "ix_decision_open_remind_at",
            ["remind_at"],
            unique=False,
            sqlite_where=sa.text("closed_at IS NULL AND remind_at IS NOT NULL"),
            postgresql_where=sa.text("closed_at IS NULL AND remind_at IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_decision_person_id", ["person_id", "closed_at", "via"], unique=False
        )


def downgrade() -> None:
    with op.batch_alter_table("decision", schema=None) as batch_op:
        batch_op.drop_index("ix_decision_person_id")
        batch_op.drop_index(
            "ix_decision_open_remind_at",
            sqlite_where=sa.text("closed_at IS NULL AND remind_at IS NOT NULL"),
            postgresql_where=sa.text("closed_at IS NULL AND remind_at IS NOT NULL"),
        )
        batch_op.drop_index(
            "ix_decision_open_due_at",
            sqlite_where=sa.text("closed_at IS NULL"),
            postgresql_where=sa.text("closed_at IS NULL"),
        )

    op.drop_table("decision")
    with op.batch_alter_table("seat", schema=None) as batch_op:
        batch_op.drop_index("ix_seat_person_id")

    op.drop_table("seat")
    op.drop_table("move")
    op.drop_table("message")
    with op.batch_alter_table("incoming", schema=None) as batch_op:
        batch_op.drop_index("ix_incoming_sender_received_at")
        batch_op.drop_index("ix_incoming_received_at")
        batch_op.drop_index(
            "ix_incoming_due_next_try_at",
            sqlite_where=sa.text("next_try_at IS NOT NULL"),
            postgresql_where=sa.text("next_try_at IS NOT NULL"),
        )

    op.drop_table("incoming")
    with op.batch_alter_table("bounce", schema=None) as batch_op:
        batch_op.drop_index("ix_bounce_address_at")

    op.drop_table("bounce")
    with op.batch_alter_table("letter", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_letter_to"))
        batch_op.drop_index("ix_letter_state")
        batch_op.drop_index(batch_op.f("ix_letter_game_id"))
        batch_op.drop_index(
            "ix_letter_due_next_try_at",
            sqlite_where=sa.text("next_try_at IS NOT NULL"),
            postgresql_where=sa.text("next_try_at IS NOT NULL"),
        )

    op.drop_table("letter")
    with op.batch_alter_table("invitation", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_invitation_invited_by"))
        batch_op.drop_index(batch_op.f("ix_invitation_game_id"))
        batch_op.drop_index(batch_op.f("ix_invitation_email"))

    op.drop_table("invitation")
    op.drop_table("event")
    with op.batch_alter_table("delivery", schema=None) as batch_op:
        batch_op.drop_index("ix_delivery_webhook_id_created_at")
        batch_op.drop_index(
            "ix_delivery_due_next_try_at",
            sqlite_where=sa.text("next_try_at IS NOT NULL"),
            postgresql_where=sa.text("next_try_at IS NOT NULL"),
        )

    op.drop_table("delivery")
    with op.batch_alter_table("webhook", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_webhook_person_id"))

    op.drop_table("webhook")
    with op.batch_alter_table("kept_answer", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_kept_answer_created_at"))

    op.drop_table("kept_answer")
    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.drop_index("ix_game_status_visibility_created_at")
        batch_op.drop_index(
            "ix_game_paused_until",
            sqlite_where=sa.text("paused_until IS NOT NULL"),
            postgresql_where=sa.text("paused_until IS NOT NULL"),
        )
        batch_op.drop_index(batch_op.f("ix_game_host_id"))

    op.drop_table("game")
    with op.batch_alter_table("credential", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_credential_person_id"))

    op.drop_table("credential")
    with op.batch_alter_table("sign_in", schema=None) as batch_op:
        batch_op.drop_index("ix_sign_in_email_created_at")

    op.drop_table("sign_in")
    with op.batch_alter_table("person", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_person_to_notice",
            sqlite_where=sa.text("last_event > noticed"),
            postgresql_where=sa.text("last_event > noticed"),
        )
        batch_op.drop_index(batch_op.f("ix_person_owner_id"))

    op.drop_table("person")
    with op.batch_alter_table("picture", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_picture_made_at"))

    op.drop_table("picture")
    op.drop_table("heartbeat")
    op.drop_table("bookmark")
