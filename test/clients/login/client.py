# For each line "NAME URI" of its input: writes a long text as this client, reads it, and prints who it is and how long the text is.
import sys
import pymongo

TEXT = "x" * 50000
clients = {}


def answer(name, uri):
    if name not in clients:
        clients[name] = pymongo.MongoClient(uri)
    app = clients[name].app
    written = app[name].insert_one({"text": TEXT})
    found = app[name].find_one({"_id": written.inserted_id})
    users = app.command("connectionStatus")["authInfo"]["authenticatedUsers"]
    return "%s@%s %d" % (users[0]["user"], users[0]["db"], len(found["text"]))


for line in sys.stdin:
    name, uri = line.split()
    try:
        print(name, "ok", answer(name, uri), flush=True)
    except pymongo.errors.PyMongoError as error:
        print(name, "failed", getattr(error, "code", None) or 0, str(error).replace("\n", " "), flush=True)
