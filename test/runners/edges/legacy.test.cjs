const { ReplicaSet } = require('replsim');

test('legacy timers take the place of those of the set, which says so', async () => {
  const real = { setTimeout: globalThis.setTimeout, Date: globalThis.Date };
  const set = await ReplicaSet.start({ members: 1 });
  set.useFakeTimers(jest);
  jest.useFakeTimers({ legacyFakeTimers: true });
  await set.advance('1s');
  await set.stop();
  expect(globalThis.setTimeout).toBe(real.setTimeout);
  expect(globalThis.Date).toBe(real.Date);
});
