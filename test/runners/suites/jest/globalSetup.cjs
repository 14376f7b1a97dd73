const { MongoMemoryServer } = require('mongodb-memory-server');

module.exports = async function globalSetup() {
  // One server for all files, which live in processes of their own.
  const instance = await MongoMemoryServer.create();
  const uri = instance.getUri();
  globalThis.__MONGOINSTANCE = instance;
  process.env.MONGO_URI = uri.slice(0, uri.lastIndexOf('/'));
};
