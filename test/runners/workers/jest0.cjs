const { replicaSet } = require('replsim/jest');

test('a set that has lost a member serves no other file', async () => {
  await replicaSet.kill('n1');
  process.stderr.write(`uri ${replicaSet.uri}\n`);
});
