module.exports = {
  preset: 'replsim/jest',
  rootDir: '..',
  testRegex: ['preset\\.test\\.cjs$', 'workers/jest\\d\\.cjs$'],
  testSequencer: '<rootDir>/workers/byName.cjs',
  testEnvironmentOptions: { replicaSet: { members: 1, replSet: { dbName: 'files' }, speed: 0 } },
};
