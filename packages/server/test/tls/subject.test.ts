import { expect, test } from 'vitest';
import { subjectOf } from '../../src/tls/subject.ts';

test.for<[string, string]>([
  ['C=IS\nO=MongoDB\nOU=Drivers\nCN=client', 'CN=client,OU=Drivers,O=MongoDB,C=IS'],
  ['O=Org\\, Inc\nCN=localhost', 'CN=localhost,O=Org\\, Inc'],
  ['CN=a+UID=b', 'CN=a+UID=b'],
  ['CN=Jürgen', 'CN=J\\C3\\BCrgen'],
  ['CN=名', 'CN=\\E5\\90\\8D'],
])('%j is %s', ([subject, shown]) => {
  expect(subjectOf({ subject })).toBe(shown);
});
