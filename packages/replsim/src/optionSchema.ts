import { didYouMean } from '@replsim/scenario';
import { MAX_SPEED } from '@replsim/server';
import * as z from 'zod';
import { InvalidOptions } from './options.ts';

/** Hints for options of mongodb-memory-server that have no meaning here, and for names that resemble one of ours. */
const HINTS: Readonly<Record<string, string>> = {
  auth: 'write it at the top level: auth: { enable: true, customRootName, customRootPwd, extraUsers }',
  keyfileLocation: 'write the key itself in "auth.keyfileContent"',
  dispose: 'call stop() or use "await using"',
  spawn: 'no process is spawned: the members run in this one',
  setName: 'write "name" for the name of the set',
  heartbeatFrequencyMS: 'that is an option of MongoClient',
  hosts: 'members listen on loopback ports: write "members" and "port"',
  setParameter: 'write "parameters"',
  storageEngine: 'there is only one storage engine',
  instance: 'write its options at the top level: "port", "ip", "dbpath"',
  launchTimeout: 'no process is launched',
  autoStart: 'start() returns the set once it is running',
  downloadDir: 'nothing is downloaded',
  dbPath: 'give the set one "dbpath"; each member gets a subfolder of it',
};

const text = z.string({ error: 'expected text' });
const aPort = { error: 'expected a port, 0 to 65535' };
const port = z.int(aPort).min(0, aPort).max(65535, aPort);
const version = z.string({ error: 'expected a version in quotes, such as "8.0"' });
const whole = z.int({ error: 'expected a whole number' });
const count = whole.min(0, { error: 'expected 0 or more' });
const some = whole.min(1, { error: 'expected 1 or more' });
const args = z.array(text, { error: 'expected a list of arguments' });
const engine = z.literal('wiredTiger', { error: 'expected "wiredTiger", the only storage engine' });
const map = z.looseObject({}, { error: 'expected an object' });
/** The other fields of a member are checked together with the whole set, as in a scenario. */
const member = z.union([text, z.looseObject({ name: text, port: port.optional() })], {
  error: 'expected a name, or an object with a name',
});
const listed = { error: 'expected a number, or a list of names or objects with names' };

const onOff = z.boolean({ error: 'expected true or false' });
/** By mongod's names under `net.tls`. */
const tlsOptions = z.strictObject({
  mode: z.enum(['disabled', 'allowTLS', 'preferTLS', 'requireTLS']).optional(),
  certificateKeyFile: text.optional(),
  certificateKeyFilePassword: text.optional(),
  CAFile: text.optional(),
  allowConnectionsWithoutCertificates: onOff.optional(),
  allowInvalidCertificates: onOff.optional(),
  disabledProtocols: text.optional(),
});

const schema = z.strictObject(
  {
    members: z.union([some, z.array(member)], listed).optional(),
    count: some.optional(),
    spares: z.union([count, z.array(member)], listed).optional(),
    name: text.optional(),
    replSet: z
      .union(
        [
          text,
          z.strictObject({
            name: text.optional(),
            count: some.optional(),
            ip: text.optional(),
            dbName: text.optional(),
            storageEngine: engine.optional(),
            configSettings: map.optional(),
            args: args.optional(),
          }),
        ],
        { error: 'expected a name, or an object' },
      )
      .optional(),
    instanceOpts: z
      .array(
        z.strictObject({
          port: port.optional(),
          args: args.optional(),
          storageEngine: engine.optional(),
          replicaMemberConfig: map.optional(),
        }),
        { error: 'expected a list' },
      )
      .optional(),
    binary: z
      .strictObject(
        { version: version.optional() },
        { error: (issue) => (issue.code === 'unrecognized_keys' ? undefined : 'expected an object with a version') },
      )
      .optional(),
    ip: text.optional(),
    port: port.optional(),
    dbpath: text.optional(),
    dbPath: text.optional(),
    acceptEmpty: z.boolean({ error: 'expected true or false' }).optional(),
    version: version.optional(),
    seed: count.optional(),
    speed: z
      .number({ error: 'expected virtual seconds per second, 0 or more' })
      .min(0, { error: 'expected virtual seconds per second, 0 or more' })
      .max(MAX_SPEED, { error: `expected at most ${MAX_SPEED} virtual seconds per second` })
      .optional(),
    maxLead: z
      .union([z.string(), z.number()], { error: 'expected a duration such as "250ms", or milliseconds' })
      .optional(),
    parameters: map.optional(),
    anyUser: z.union([text, z.array(text)], { error: 'expected a password, or a list of passwords' }).optional(),
    tls: z
      .union([z.boolean(), tlsOptions], { error: 'expected true, or an object with certificateKeyFile' })
      .optional(),
    auth: z
      .strictObject(
        {
          enable: z.boolean({ error: 'expected true or false' }).optional(),
          disable: z.boolean({ error: 'expected true or false' }).optional(),
          customRootName: text.optional(),
          customRootPwd: text.optional(),
          extraUsers: z
            .array(z.looseObject({ createUser: text, pwd: text, database: text.optional() }), {
              error: 'expected a list of users',
            })
            .optional(),
          keyfileContent: text.optional(),
        },
        {
          error: (issue) =>
            issue.code === 'unrecognized_keys' ? undefined : 'expected an object, such as { enable: true }',
        },
      )
      .optional(),
    maxIncomingConnections: some.optional(),
    networkMessageCompressors: z
      .union([text, z.array(text)], { error: 'expected names, such as "snappy,zlib", or "disabled"' })
      .optional(),
    settings: map.optional(),
    network: map.optional(),
    costs: map.optional(),
    epoch: z
      .union([z.date(), z.string(), z.number()], { error: 'expected a Date, an ISO 8601 string, or ms since 1970' })
      .optional(),
    initiate: z.boolean({ error: 'expected true or false' }).optional(),
    invariants: z.boolean({ error: 'expected true or false' }).optional(),
    ledger: z.boolean({ error: 'expected true or false' }).optional(),
    record: z.union([text, z.instanceof(URL)], { error: 'expected the path of a file' }).optional(),
    load: z.union([text, z.instanceof(URL)], { error: 'expected the path of a folder' }).optional(),
    scenario: z.union([text, z.instanceof(URL)], { error: 'expected the path of a scenario file' }).optional(),
  },
  { error: (issue) => (issue.code === 'unrecognized_keys' ? undefined : 'expected an object') },
);

export type GivenOptions = z.infer<typeof schema>;

/** Checks the shape of the options. @throws InvalidOptions */
export function checkOptions(options: unknown): GivenOptions {
  const result = schema.safeParse(options, { jitless: true });
  if (result.success) return result.data;
  throw new InvalidOptions(result.error.issues.flatMap((issue) => mistakesOf(issue, [])));
}

/**
 * Checks jest's `testEnvironmentOptions`. Other environments have options there too, so unknown ones are left alone, unless they were
 * probably meant for this one.
 * @throws InvalidOptions
 */
export function checkEnvironmentOptions(options: object): void {
  const mistakes = Object.keys(options).flatMap((key) => {
    if (key === 'replicaSet') return [];
    if (Object.hasOwn(schema.shape, key)) return [`${key}: write it inside "replicaSet"`];
    const suggestion = didYouMean(key, ['replicaSet']);
    return suggestion === undefined ? [] : [`unknown option "${key}": ${suggestion}`];
  });
  if (mistakes.length > 0) throw new InvalidOptions(mistakes, 'testEnvironmentOptions');
}

type Issue = z.core.$ZodIssue;

function mistakesOf(issue: Issue, base: readonly PropertyKey[]): string[] {
  const path = [...base, ...issue.path];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknown(path, key));
  // Of several allowed forms, report on the one that the user probably meant: the one that complains about its contents.
  const inside = issue.code === 'invalid_union' && issue.errors.find((errors) => errors.some((each) => isInside(each)));
  if (inside) return inside.flatMap((each) => mistakesOf(each, path));
  return [`${nameOf(path)}${issue.message}`];
}

function isInside({ path, code }: Issue): boolean {
  return path.length > 0 || code === 'unrecognized_keys' || code === 'too_small';
}

function unknown(path: readonly PropertyKey[], key: string): string {
  const known = knownAt(path);
  const hint = Object.hasOwn(HINTS, key) ? HINTS[key] : undefined;
  const suggestion = hint ?? didYouMean(key, known) ?? `known here: ${known.join(', ')}`;
  return `unknown option "${[...path, key].join('.')}"${suggestion === undefined ? '' : `: ${suggestion}`}`;
}

/** The option names that are valid at this place. */
function knownAt(path: readonly PropertyKey[]): readonly string[] {
  const { replSet, instanceOpts, binary } = schema.shape;
  switch (path[0]) {
    case 'replSet':
      return Object.keys((replSet.unwrap().options[1] as z.ZodObject).shape);
    case 'instanceOpts':
      return Object.keys(instanceOpts.unwrap().element.shape);
    case 'tls':
      return Object.keys(tlsOptions.shape);
    case 'binary':
      return Object.keys(binary.unwrap().shape);
    default:
      return Object.keys(schema.shape);
  }
}

function nameOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? '' : `${path.join('.')}: `;
}
