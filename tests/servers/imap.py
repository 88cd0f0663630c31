"""A small mail server to read from by IMAP (RFC 3501, 2177, 6851), for one account.

It speaks the protocol over a socket as far as a client needs it that looks for mails, takes them
and moves them, and fails as a test prescribes.
"""

import re
import shlex
import socketserver
import threading
from dataclasses import dataclass, field
from typing import Self

USER, PASSWORD = "laguna", "s3cret/mail"


@dataclass
class Stored:
    uid: int
    raw: bytes
    flags: set[str] = field(default_factory=set)


class ImapServer:
    """`folders` are its contents. `lose` commands end the connection when they come, each once;
    `refuse` commands are answered with NO, also for one mail, as `UID FETCH 7`; `drop` mails end
    the connection whenever they are fetched."""

    def __init__(self, idle: bool = True) -> None:
        self.folders: dict[str, list[Stored]] = {"INBOX": []}
        self.idle = idle
        self.lose: list[str] = []
        self.refuse: set[str] = set()
        self.drop: set[int] = set()
        self.heard: list[str] = []  # the commands that came
        self.uids = 0
        self.changed = threading.Condition()
        self.server = _Server(("127.0.0.1", 0), _Conversation)
        self.server.imap = self
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)

    @property
    def port(self) -> int:
        return int(self.server.server_address[1])

    @property
    def url(self) -> str:
        return f"imap://{USER}:{PASSWORD.replace('/', '%2F')}@127.0.0.1:{self.port}/INBOX"

    def deliver(self, raw: bytes, folder: str = "INBOX") -> None:
        with self.changed:
            self.uids += 1
            self.folders.setdefault(folder, []).append(Stored(self.uids, raw))
            self.changed.notify_all()

    def raw_in(self, folder: str) -> list[bytes]:
        return [mail.raw for mail in self.folders.get(folder, [])]

    def times(self, command: str) -> int:
        return self.heard.count(command)

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    imap: ImapServer


class _Gone(Exception):
    """The connection ends here."""


class _Conversation(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        self.imap = self.server.imap
        self.folder = ""
        self._send("* OK ready")
        try:
            while line := self.rfile.readline():
                self._command(line.decode())
        except (_Gone, ConnectionError):
            return

    def _send(self, text: str) -> None:
        self.wfile.write(text.encode() + b"\r\n")

    def _command(self, line: str) -> None:
        tag, command, *words = shlex.split(line.replace("\\", "\\\\"))
        command = command.upper()
        if command == "UID":
            command = f"UID {words.pop(0).upper()}"
        self.imap.heard.append(command)
        if command in self.imap.lose:
            self.imap.lose.remove(command)
            raise _Gone
        if command == "UID FETCH" and int(words[0]) in self.imap.drop:
            raise _Gone
        if self.imap.refuse & {command, f"{command} {words[0] if words else ''}"}:
            self._send(f"{tag} NO not allowed")
            return
        answer = getattr(self, "do_" + command.replace(" ", "_").lower())(words, tag)
        self._send(f"{tag} {answer or 'OK done'}")
        if command == "LOGOUT":
            raise _Gone

    @property
    def mails(self) -> list[Stored]:
        return self.imap.folders[self.folder]

    def _chosen(self, uids: str) -> list[tuple[int, Stored]]:
        wanted = {int(uid) for uid in uids.split(",")}
        return [(n, mail) for n, mail in enumerate(self.mails, 1) if mail.uid in wanted]

    def do_capability(self, *_: object) -> None:
        self._send("* CAPABILITY IMAP4REV1 MOVE" + (" IDLE" if self.imap.idle else ""))

    def do_login(self, words: list[str], _: str) -> str:
        return "OK welcome" if words == [USER, PASSWORD] else "NO who is that"

    def do_select(self, words: list[str], _: str) -> str:
        if words[0] not in self.imap.folders:
            return "NO there is no such folder"
        self.folder = words[0]
        self._send(f"* {len(self.mails)} EXISTS")
        return "OK [READ-WRITE] selected"

    def do_logout(self, *_: object) -> None:
        self._send("* BYE")

    def do_noop(self, *_: object) -> None:
        """Nothing."""

    def do_uid_search(self, words: list[str], _: str) -> None:
        assert words == ["UNDELETED", "UNFLAGGED"], words
        unseen = {"\\Deleted", "\\Flagged"}
        found = [str(mail.uid) for mail in self.mails if not mail.flags & unseen]
        self._send(" ".join(["* SEARCH", *found]))

    def do_uid_fetch(self, words: list[str], _: str) -> None:
        for n, mail in self._chosen(words[0]):
            if "RFC822.SIZE" in words[1]:
                self._send(f"* {n} FETCH (UID {mail.uid} RFC822.SIZE {len(mail.raw)})")
                continue
            self._send(f"* {n} FETCH (UID {mail.uid} BODY[] {{{len(mail.raw)}}}")
            self.wfile.write(mail.raw)
            self._send(")")

    def do_uid_store(self, words: list[str], _: str) -> None:
        flags = set(re.findall(r"\\\w+", " ".join(words[2:])))
        for _n, mail in self._chosen(words[0]):
            mail.flags |= flags

    def do_expunge(self, *_: object) -> None:
        kept = [mail for mail in self.mails if "\\Deleted" not in mail.flags]
        self.imap.folders[self.folder] = kept

    def do_list(self, words: list[str], _: str) -> None:
        if words[1] in self.imap.folders:
            self._send(f'* LIST () "/" "{words[1]}"')

    def do_create(self, words: list[str], _: str) -> None:
        self.imap.folders[words[0]] = []

    def do_uid_move(self, words: list[str], _: str) -> None:
        moved = [mail for _n, mail in self._chosen(words[0])]
        self.imap.folders[words[1]] += moved
        self.imap.folders[self.folder] = [mail for mail in self.mails if mail not in moved]

    def do_idle(self, _words: list[str], _: str) -> None:
        self._send("+ idling")
        seen = len(self.mails)
        ended = threading.Event()

        def record_events() -> None:
            with self.imap.changed:
                while not ended.is_set():
                    if len(self.mails) != seen:
                        self._send(f"* {len(self.mails)} EXISTS")
                        return
                    self.imap.changed.wait(0.05)

        teller = threading.Thread(target=record_events, daemon=True)
        teller.start()
        line = self.rfile.readline()
        ended.set()
        teller.join()
        if line.strip().upper() != b"DONE":
            raise _Gone
