const { ReplicaSet } = require('replsim');

test('what jest fakes by default keeps a driver from going on, which is told once', async () => {
  const set = await ReplicaSet.start({ members: 1 });
  set.useFakeTimers(jest).restore();
  await set.advance('1s');
  jest.useFakeTimers();
  await set.advance('1s');
  await set.stop();
  jest.useRealTimers();
});
