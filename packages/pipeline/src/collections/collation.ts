import { BsonWriter, CommandError } from '@replsim/protocol';
import { type CollationRules, compileCollator } from '@replsim/query';
import { describeDocument } from '@replsim/storage';
import { Fields } from '../fields/fields.ts';

/** Upstream: the version of ICU's rules that every release imitated here carries. */
const COLLATOR_VERSION = '57.1';

/** Locales whose rules begin elsewhere than at the root's. Source: CLDR's collation files, by the names of mongod's options. */
const localeDefaults: Readonly<Record<string, Partial<CollationRules>>> = {
  da: { caseFirst: 'upper' },
  fr_CA: { backwards: true },
  mt: { caseFirst: 'upper' },
  th: { alternate: 'shifted' },
};

/** Locales that mongod knows, as its manual lists them; a variant may follow (`de@collation=phonebook`). */
const locales: ReadonlySet<string> = new Set(
  `af am ar as az be bg bn bo bs bs_Cyrl ca chr cs cy da de de_AT dsb dz ee el en en_US en_US_POSIX eo es et fa fa_AF fi
   fil fo fr fr_CA ga gl gu ha haw he hi hr hsb hu hy id ig is it ja ka kk kl km kn ko kok ky lb lkt ln lo lt lv mk ml mn mr
   ms mt my nb ne nl nn om or pa pl ps pt ro ru se si sk sl smn sq sr sr_Latn sv sw ta te th to tr ug uk ur vi wae yi yo zh
   zh_Hant zu`.split(/\s+/),
);

const choices = {
  caseFirst: ['upper', 'lower', 'off'],
  alternate: ['non-ignorable', 'shifted'],
  maxVariable: ['punct', 'space'],
} as const;

// biome-ignore format: a list
const known: ReadonlySet<string> = new Set(['locale', 'caseLevel', 'caseFirst', 'strength', 'numericOrdering', 'alternate',
  'maxVariable', 'normalization', 'backwards', 'version']);

/**
 * A collation as `listIndexes` shows it, every field filled in; undefined for `simple`, which is stored as none.
 * Errors: 40414 without a locale, 40415 for an unknown field, TypeMismatch 14, IncompatibleCollationVersion 161, BadValue 2 for
 * what makes no sense, and for what this runtime cannot compare by: see `compileCollator`.
 * Upstream: collator_factory_icu.cpp, CollatorFactoryICU::makeFromBSON.
 */
export function completeCollation(sent: Uint8Array): Uint8Array | undefined {
  const fields = new Fields(sent, 'collation');
  fields.allow(known);
  const locale = fields.requiredString('locale');
  if (locale === 'simple') {
    if (fields.names.length > 1) throw bad('the locale "simple" goes with nothing else', sent);
    return undefined;
  }
  if (!locales.has(locale.split('@')[0]!)) throw bad("unknown 'locale'", sent);
  const collation = read(fields, locale);
  check(collation, sent);
  checkVersion(fields);
  const complete = write(collation);
  compileCollator(complete);
  return complete;
}

/** The same of a collation that a command sent, which it may leave empty. */
export function checkCollation(sent: Uint8Array | undefined): Uint8Array | undefined {
  return sent && sent.length > 5 ? completeCollation(sent) : undefined;
}

function read(fields: Fields, locale: string): CollationRules {
  const given = localeDefaults[locale] ?? {};
  return {
    locale,
    caseLevel: fields.strictBool('caseLevel') ?? false,
    caseFirst: choice(fields, 'caseFirst', given.caseFirst ?? 'off'),
    strength: strength(fields),
    numericOrdering: fields.strictBool('numericOrdering') ?? false,
    alternate: choice(fields, 'alternate', given.alternate ?? 'non-ignorable'),
    maxVariable: choice(fields, 'maxVariable', 'punct'),
    normalization: fields.strictBool('normalization') ?? false,
    backwards: fields.strictBool('backwards') ?? given.backwards ?? false,
  };
}

function checkVersion(fields: Fields): void {
  const version = fields.string('version');
  if (version === undefined || version === COLLATOR_VERSION) return;
  const errmsg = `the collation version ${version} is asked for, and there is only ${COLLATOR_VERSION}`;
  throw new CommandError('IncompatibleCollationVersion', errmsg);
}

function check({ backwards, strength, caseFirst, caseLevel }: CollationRules, sent: Uint8Array): void {
  if (backwards && strength === 1) throw bad("'backwards' needs a 'strength' above 1", sent);
  if (caseFirst !== 'off' && !caseLevel && strength < 3) {
    throw bad("'caseFirst' needs 'caseLevel' or a 'strength' above 2", sent);
  }
}

function write(collation: CollationRules): Uint8Array {
  const writer = new BsonWriter();
  for (const [name, value] of Object.entries(collation)) {
    if (typeof value === 'boolean') writer.bool(name, value);
    else if (typeof value === 'number') writer.int32(name, value);
    else writer.string(name, value);
  }
  writer.string('version', COLLATOR_VERSION);
  return writer.finish();
}

function choice<Name extends keyof typeof choices>(
  fields: Fields,
  name: Name,
  absent: CollationRules[Name],
): CollationRules[Name] {
  const value = fields.string(name);
  if (value === undefined) return absent;
  if ((choices[name] as readonly string[]).includes(value)) return value as CollationRules[Name];
  throw new CommandError(
    'BadValue',
    `Enumeration value '${value}' for field 'collation.${name}' is not a valid value.`,
  );
}

function strength(fields: Fields): number {
  const value = fields.number('strength');
  if (value === undefined) return 3;
  if (value >= 1 && value <= 5) return value;
  throw new CommandError(
    'BadValue',
    `Enumeration value '${value}' for field 'collation.strength' is not a valid value.`,
  );
}

function bad(reason: string, sent: Uint8Array): CommandError {
  return new CommandError('BadValue', `${reason}: ${describeDocument(sent)}`);
}
