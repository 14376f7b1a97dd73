const { replicaSet } = require('replsim/jest');

test('without the environment there is none', () => {
  expect(() => replicaSet.uri).toThrow(/run jest with preset: 'replsim\/jest'.*@jest-environment/);
});
