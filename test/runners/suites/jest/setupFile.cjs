const mongoose = require('mongoose');

const { MONGO_URI, JEST_WORKER_ID } = process.env;

beforeAll(async () => {
  // A database for each worker, as files of two workers run at once.
  await mongoose.connect(`${MONGO_URI}/worker${JEST_WORKER_ID}`);
});

afterAll(async () => {
  await mongoose.connection.dropDatabase();
  await mongoose.disconnect();
});
