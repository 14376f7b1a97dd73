import type { MutatedRule } from './mutatedRule.ts';

const GATE = { file: 'packages/database/src/access/gate.ts', test: 'packages/database/test/access/gate.test.ts' };
const BY_ROLE = { file: GATE.file, test: 'packages/database/test/onSets/access/gate.test.ts' };
const LOGIN = 'packages/database/src/access/authentication.ts';
const SASL = { file: LOGIN, test: 'packages/database/test/access/saslCommands.test.ts' };
const CERTIFICATE = {
  file: 'packages/database/src/access/certificateLogin.ts',
  test: 'packages/database/test/access/certificateLogin.test.ts',
};
const TIMES = { file: 'packages/node/src/services.ts', test: 'packages/node/test/access/timeProofs.test.ts' };
const USERS = { file: 'packages/node/src/access/userAccess.ts', test: 'packages/node/test/access/userAccess.test.ts' };
const KEYS = { file: 'packages/node/src/access/memberKeys.ts', test: 'packages/node/test/access/memberKeys.test.ts' };
const SCRAM = {
  file: 'packages/access/src/scram/conversation.ts',
  test: 'packages/access/test/scram/conversation.test.ts',
};
const PATTERN = {
  file: 'packages/access/src/privileges/resourcePattern.ts',
  test: 'packages/access/test/privileges/resourcePattern.test.ts',
};
const RESTRICTION = {
  file: 'packages/access/src/restrictions/restriction.ts',
  test: 'packages/access/test/restrictions/restriction.test.ts',
};
const MANAGING = 'packages/access/src/management/managingNeeds.ts';
/** Somebody without a right to manage users, and somebody with one for a single database. */
const NEVER_RAISED = { file: MANAGING, test: BY_ROLE.test, title: 'no sequence of commands raises' };
const INSIDE = { file: MANAGING, test: 'packages/database/test/onSets/access/ownPrivileges.test.ts' };
const PIPELINE = { file: 'packages/access/src/needs/pipelineNeeds.ts', test: BY_ROLE.test };
const APPLY_OPS = { file: 'packages/access/src/needs/applyOpsNeeds.ts', test: BY_ROLE.test };

const gateRules: readonly MutatedRule[] = [
  {
    ...GATE,
    from: "if (command.adminOnly && args.db !== 'admin') {",
    to: 'if (false) {',
    why: 'what is for the admin database alone is refused elsewhere',
  },
  {
    ...BY_ROLE,
    from: 'if (isStranger && !isOpen(command)) {',
    to: 'if (false) {',
    why: 'who has not logged in may run the open commands only, even where others need a login and no privilege',
  },
  {
    ...GATE,
    from: "if (namesUuid && !allows(privileges, 'useUUID', CLUSTER)) throw notAuthorized(command, args);",
    to: '',
    why: 'a UUID in the place of a name needs a privilege of its own',
  },
  {
    ...GATE,
    from: 'namesUuid ? arrival.byName() : args',
    to: 'args',
    why: 'a collection that is named by its UUID is judged by its name',
  },
  {
    ...BY_ROLE,
    from: '[...needsOf(command, asking), ...alwaysNeeded(args)]',
    to: 'needsOf(command, asking)',
    why: 'reads of an oplog as members make them are for members',
  },
  {
    ...BY_ROLE,
    from: 'if (!needs.every(({ action, target }) => asking.mayDo(action, target))) throw notAuthorized(command, args);',
    to: '',
    why: 'a command needs its privileges',
  },
  {
    ...BY_ROLE,
    from: 'needs.every((',
    to: 'needs.some((',
    why: 'all of them, not one',
  },
  {
    ...BY_ROLE,
    from: 'if (!localhostOnly || isLoopbackName(machineOf(remote))) return;',
    to: 'return;',
    why: 'without access control nobody ends the process from another machine',
  },
  {
    ...GATE,
    from: "if (error instanceof CommandError && error.codeName === 'Unauthorized') logRefusal(error, member);",
    to: '',
    why: 'each refusal is in the log',
  },
  {
    ...BY_ROLE,
    from: 'return command ? needsOf(command, { ...asking, args: other }) : NOTHING;',
    to: 'return NOTHING;',
    why: 'an explain needs what the command needs',
  },
  {
    ...BY_ROLE,
    from: "return [{ action, target: { kind: 'database', db: args.db } }];",
    to: 'return NOTHING;',
    why: 'commands about a database need its privilege',
  },
  {
    ...BY_ROLE,
    from: 'return [{ action, target: CLUSTER }];',
    to: 'return NOTHING;',
    why: 'commands about the cluster need its privilege',
  },
  {
    ...BY_ROLE,
    from: "return [{ action, target: { kind: 'namespace', db: args.db, collection: args.collection } }];",
    to: "return [{ action, target: { kind: 'database', db: args.db } }];",
    why: 'a collection of the system is not judged like its database',
  },
  {
    ...BY_ROLE,
    from: 'describeDocument(redacted(command, args))',
    to: 'describeDocument(args.bytes)',
    why: 'a refusal shows no password',
  },
];

const loginRules: readonly MutatedRule[] = [
  {
    ...SCRAM,
    from: 'sameSecret(hash(xor(hmac(hash, storedKey, signed), shown)), storedKey),',
    to: 'storedKey.length > 0,',
    why: 'only who knows the password is let in',
  },
  {
    ...SCRAM,
    from: 'if (nonce !== expected) {',
    to: 'if (false) {',
    why: 'an old proof is worth nothing',
  },
  {
    ...SCRAM,
    from: 'if (account.failure) throw account.failure;',
    to: '',
    why: 'a login that cannot succeed fails for its own reason',
  },
  {
    ...SCRAM,
    from: "if (this.#isProven) throw new CommandError('AuthenticationFailed', 'Invalid SCRAM authentication step: 3');",
    to: '',
    why: 'a conversation has two messages',
  },
  {
    ...SASL,
    from: 'if (mechanism && enabledMechanisms(parameters).includes(mechanism)) return mechanism;',
    to: 'if (mechanism) return mechanism;',
    why: 'a mechanism that is switched off lets nobody in',
  },
  {
    ...SASL,
    from: "if (fields.number('conversationId') !== CONVERSATION_ID) {",
    to: 'if (false) {',
    why: 'a conversation goes on under its number',
  },
  {
    ...SASL,
    from: 'if (db !== sasl.db) {',
    to: 'if (false) {',
    why: 'a conversation goes on on its database',
  },
  {
    file: LOGIN,
    test: USERS.test,
    from: 'if (before && !sameUser(before, user)) {',
    to: 'if (false) {',
    why: 'a connection has one user',
  },
  {
    file: LOGIN,
    test: USERS.test,
    from: 'if (unmet === undefined) return;',
    to: 'return;',
    why: 'a login from where the user may not connect fails',
  },
  {
    file: LOGIN,
    test: SASL.test,
    from: "throw new CommandError('AuthenticationFailed', 'Authentication failed.');\n  }\n}\n\nfunction isUnavailable",
    to: 'throw error;\n  }\n}\n\nfunction isUnavailable',
    why: 'the client does not learn why its login failed',
  },
  {
    ...CERTIFICATE,
    from: 'if (db !== EXTERNAL_DB) {',
    to: 'if (false) {',
    why: 'certificates are for users of $external',
  },
  {
    ...CERTIFICATE,
    from: "if (!member.parameters.texts('authenticationMechanisms').includes(MECHANISM)) {",
    to: 'if (false) {',
    why: 'MONGODB-X509 can be switched off',
  },
  {
    ...CERTIFICATE,
    from: 'if (asked !== undefined && asked !== subject) {',
    to: 'if (false) {',
    why: 'nobody logs in as somebody else than their certificate names',
  },
  {
    ...CERTIFICATE,
    from: 'if (findUser(data, name)) return name;',
    to: 'return name;',
    why: 'a certificate whose subject is no user lets nobody in',
  },
];

const userRules: readonly MutatedRule[] = [
  {
    ...TIMES,
    from: 'if (!this.access.userOf(connection)) return;',
    to: '',
    why: 'who has not logged in does not move the clock, and gets no error either',
  },
  {
    ...TIMES,
    from: 'if (!isTrusted) this.#timeProofs.check(ts, given);',
    to: '',
    why: 'a cluster time that is ahead needs the signature of a member',
  },
  {
    file: 'packages/access/src/timeProof.ts',
    test: TIMES.test,
    from: 'return sameSecret(timeProof(key, time), proof);',
    to: 'return true;',
    why: 'a signature is for one time',
  },
  {
    ...USERS,
    from: 'if (session.known && (!known || !sameId(known.user.userId, session.userId))) {',
    to: 'if (session.known && !known) {',
    why: 'who was dropped does not come back as another of that name',
  },
  {
    ...USERS,
    from: 'if (areUsersSame && areRolesSame) return;',
    to: 'return;',
    why: 'a changed user or role counts from the next command on',
  },
  {
    ...USERS,
    from: 'if (areUsersSame && areRolesSame) return;',
    to: 'if (areUsersSame) return;',
    why: 'a changed role counts, though no user has changed',
  },
  {
    file: 'packages/database/src/requests/dispatcher.ts',
    test: USERS.test,
    from: 'return isStranger ? NO_SESSION : session;',
    to: 'return session;',
    why: 'who has not logged in has no session',
  },
  {
    file: 'packages/node/src/data/writes.ts',
    test: 'packages/replset/test/droppedRoles.test.ts',
    from: 'if (this.#together) this.#together.push(...operations);',
    to: 'this.#together = undefined;',
    why: 'a dropped role is one entry',
  },
  {
    ...USERS,
    from: 'if (reason !== undefined) {',
    to: 'if (false) {',
    why: 'restrictions are looked at again when they change',
  },
  {
    ...KEYS,
    from: 'if (auth === undefined) return authorization ? requiresAuthentication(command) : undefined;',
    to: 'if (auth === undefined) return undefined;',
    why: 'members without a key are refused where others need a login',
  },
  {
    ...KEYS,
    from: 'if (auth.keys.some((key) => own.includes(key))) return this.#accepted(from, channel);',
    to: 'return this.#accepted(from, channel);',
    why: 'members with another key are refused',
  },
  {
    ...RESTRICTION,
    from: 'reasons.length > 0 && reasons.every(',
    to: 'reasons.length > 0 && reasons.some(',
    why: 'one of the restrictions has to be met, not each',
  },
  {
    ...RESTRICTION,
    from: "outside('clientSource', client, clientSource) ?? outside('serverAddress', server, serverAddress)",
    to: "outside('clientSource', client, clientSource)",
    why: 'the address of the server is restricted, too',
  },
  {
    file: 'packages/access/src/restrictions/addressRange.ts',
    test: 'packages/access/test/restrictions/addressRange.test.ts',
    from: 'Math.min(8, Math.max(0, bits - i * 8))',
    to: 'Math.min(8, Math.max(0, bits - 1 - i * 8))',
    why: 'every bit of a range counts',
  },
  {
    file: 'packages/access/src/roles/resolve.ts',
    test: 'packages/access/test/roles/resolve.test.ts',
    from: 'waiting.push(...storedRoles(fields));',
    to: '',
    why: 'a role has what those have that it contains',
  },
  {
    file: 'packages/access/src/keyFile.ts',
    test: 'packages/access/test/keyFile.test.ts',
    from: 'if (key.length < MIN_LENGTH || key.length > MAX_LENGTH) {',
    to: 'if (key.length > MAX_LENGTH) {',
    why: 'a key has a least length',
  },
];

const privilegeRules: readonly MutatedRule[] = [
  {
    ...PATTERN,
    from: "return !collection.startsWith('system.') && !(db",
    to: 'return !(db',
    why: 'a privilege on a database is none on its system collections',
  },
  {
    ...PATTERN,
    from: "return db === 'local' || db === 'config';",
    to: "return db === 'local';",
    why: 'a privilege on all databases is none on local and config',
  },
  {
    ...PATTERN,
    from: 'return isInsideNormal(target) && pattern.db === target.db;',
    to: 'return isInsideNormal(target);',
    why: 'a privilege on one database is none on another',
  },
  {
    ...PATTERN,
    from: "target.kind === 'namespace' && pattern.db === target.db && pattern.collection",
    to: "target.kind === 'namespace' && pattern.collection",
    why: 'a privilege on one collection is none on its namesakes',
  },
  {
    ...NEVER_RAISED,
    from: "...(args.has('roles') ? [{ action: 'revokeRole', target: ANY_NORMAL } as const] : NOTHING),\n    ...ofRoles('grantRole', args),",
    to: '',
    why: 'nobody gives roles to themselves by updateUser',
  },
  {
    ...NEVER_RAISED,
    from: "grantRolesToUser: ({ args }) => ofRoles('grantRole', args),",
    to: 'grantRolesToUser: () => NOTHING,',
    why: 'nobody gives roles to themselves by grantRolesToUser',
  },
  {
    ...NEVER_RAISED,
    from: "grantRolesToRole: ({ args }) => ofRoles('grantRole', args),",
    to: 'grantRolesToRole: () => NOTHING,',
    why: 'nobody gives roles to their own role',
  },
  {
    ...NEVER_RAISED,
    from: "grantPrivilegesToRole: ({ args }) => ofPrivileges('grantRole', args),",
    to: 'grantPrivilegesToRole: () => NOTHING,',
    why: 'nobody gives privileges to their own role',
  },
  {
    ...INSIDE,
    from: '({ action, target: database(db) }));\n}\n\n/** What reaches',
    to: '({ action, target: database(args.db) }));\n}\n\n/** What reaches',
    why: 'to give a role takes a right on the database of the role, not on that of the user',
  },
  {
    file: MANAGING,
    test: BY_ROLE.test,
    from: "? resource.db : 'admin';",
    to: "? resource.db : 'app';",
    why: 'what reaches beyond one database is for those of admin to give',
  },
  {
    file: MANAGING,
    test: BY_ROLE.test,
    from: "createRole: ({ args }) => [...onDatabase(args.db, 'createRole'), ...ofRoleContents(args)],",
    to: "createRole: ({ args }) => onDatabase(args.db, 'createRole'),",
    why: 'who makes a role needs the right to give what is in it',
  },
  {
    ...PIPELINE,
    from: "return target === undefined ? NOTHING : writingNeeds(target, ['insert', 'remove'], surroundings);",
    to: 'return NOTHING;',
    why: '$out writes',
  },
  {
    ...PIPELINE,
    from: "...(bypasses ? on(target, 'bypassDocumentValidation') : NOTHING)",
    to: '',
    why: 'to write what validators refuse takes a right of its own',
  },
  {
    file: 'packages/access/src/needs/viewNeeds.ts',
    test: BY_ROLE.test,
    from: 'return pipelineNeeds(',
    to: 'return NOTHING;\n  pipelineNeeds(',
    why: 'nobody sees by a view what they may not read',
  },
  {
    ...APPLY_OPS,
    from: "return [...onCluster('applyOps'), ...entriesNeed(args)];",
    to: "return onCluster('applyOps');",
    why: 'applyOps is no way round the privileges of what is in it',
  },
  {
    ...APPLY_OPS,
    from: "if (name === 'applyOps') return entriesNeed(command);",
    to: "if (name === 'applyOps') return NOTHING;",
    why: 'nor is one within another',
  },
];

/** Rules of users, roles and what they may do. */
export const accessRules: readonly MutatedRule[] = [...gateRules, ...loginRules, ...userRules, ...privilegeRules];
