"""The shapes of what is sent and answered; their field texts are the reference's."""
