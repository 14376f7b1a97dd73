// Loaded by the shell of `login.test.ts`: writes a long text as one client, reads it, and prints who that is and how long the text is.
const clients = {};

// biome-ignore lint/correctness/noUnusedVariables: the lines that come in through the pipe call it.
function write(name, uri) {
  try {
    if (!clients[name]) clients[name] = new Mongo(uri);
    const app = clients[name].getDB('app');
    const texts = app.getCollection(name);
    const { insertedId } = texts.insertOne({ text: 'x'.repeat(50_000) });
    const { length } = texts.findOne({ _id: insertedId }).text;
    const [{ user, db }] = app.runCommand({ connectionStatus: 1 }).authInfo.authenticatedUsers;
    print(`${name} ok ${user}@${db} ${length}`);
  } catch (error) {
    print(`${name} failed ${error.code ?? 0} ${error.message}`);
  }
}
