"""A replica set for pytest. Tested with PyMongo 3.11 and pytest 7.2 of Debian 12, at speed 1 and at speed 0."""

import json
import os
import subprocess
import urllib.error
import urllib.request

import pymongo
import pytest


class ReplicaSet:
    """A set that `replsim serve` runs. The variable REPLSIM says where the program is."""

    def __init__(self, *options):
        program = os.environ.get("REPLSIM", "node_modules/.bin/replsim")
        command = [program, "serve", "--port", "0", "--control", "0", "--json", "--quiet", "--exit-with-parent", *options]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        serving = self._process.stdout.readline()
        if not self._process.stdout.readline():  # the second line says that there is a primary
            raise RuntimeError("replsim serve has ended; it says why on stderr")
        self.uri, self._control = json.loads(serving)["uri"], json.loads(serving)["control"]

    def control(self, verb, body=None):
        """Any request of docs/serve.md: `control("fault", {"kill": "primary"})`. Without a body it is a GET."""
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(f"{self._control}/{verb}", data) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{verb}: {json.load(error)['errmsg']}") from None

    def stop(self):
        self._process.terminate()
        self._process.communicate()


@pytest.fixture
def replica_set():
    replica_set = ReplicaSet()
    yield replica_set
    replica_set.stop()


@pytest.fixture
def client(replica_set):
    with pymongo.MongoClient(replica_set.uri) as client:
        yield client
