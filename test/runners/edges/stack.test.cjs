const { ReplicaSet } = require('replsim');

test('a mistake', async () => {
  await ReplicaSet.start({ memebrs: 1 });
});
