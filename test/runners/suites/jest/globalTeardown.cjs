module.exports = async function globalTeardown() {
  await globalThis.__MONGOINSTANCE.stop();
};
