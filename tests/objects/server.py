#!/usr/bin/env python3
"""A server for tests of debuginfod: server.py LOG PORT_FILE [silent | FILE | DIRECTORY]

Listens on a free port of this machine, whose number goes to PORT_FILE, and writes a line to
LOG for each connection. It then says nothing (silent), answers every request with FILE, or
with "not found". Of a DIRECTORY it has /buildid/ID/KIND as ID/KIND, and LOG gets the path that is asked for;
where ID/KIND.cut is there it sends half of what it promises, where ID/KIND.slow is there nothing.
"""
import os
import socket
import sys
import threading


def find(directory, path):
    """What is there: nothing, or bytes, and how many of them are sent; None: it is silent."""
    name = os.path.join(directory, *path.split("/")[-2:])
    for end, share in ("", 1), (".cut", 0.5):
        if os.path.exists(name + end):
            with open(name + end, "rb") as f:
                body = f.read()
            return body, int(len(body) * share)
    return None if os.path.exists(name + ".slow") else (b"", 0)


def answer(connection, body, directory=None, log=None):
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return
        data += more
    sent = len(body or b"")
    if directory:
        path = data.split(b" ")[1].decode()
        with open(log, "a") as out:
            print(path, file=out)
        found = find(directory, path)
        if found is None:
            return
        body, sent = found
    if not body:
        head = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    else:
        head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(body)
    connection.sendall(head + (body or b"")[:sent])
    connection.close()


def main():
    log, port_file, *mode = sys.argv[1:]
    directory = mode[0] if mode and os.path.isdir(mode[0]) else None
    body = open(mode[0], "rb").read() if mode and mode[0] != "silent" and not directory else None
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    with open(port_file, "w") as out:
        print(listener.getsockname()[1], file=out)
    kept = []
    while True:
        connection, _ = listener.accept()
        if not directory:
            with open(log, "a") as out:
                print("connection", file=out)
        kept.append(connection)
        if mode != ["silent"]:
            threading.Thread(target=answer, args=(connection, body, directory, log), daemon=True).start()


main()
