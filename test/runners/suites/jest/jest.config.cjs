module.exports = {
  testEnvironment: 'node',
  testRegex: 'suites/jest/.*\\.test\\.cjs$',
  globalSetup: '<rootDir>/suites/jest/globalSetup.cjs',
  globalTeardown: '<rootDir>/suites/jest/globalTeardown.cjs',
  setupFilesAfterEnv: ['<rootDir>/suites/jest/setupFile.cjs'],
  rootDir: '../..',
};
