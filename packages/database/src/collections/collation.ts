import { BsonWriter, CommandError } from '@replsim/protocol';
import { describeDocument } from '@replsim/storage';
import { Fields } from '../fields/fields.ts';

/** Upstream: the version of ICU's rules that every release imitated here carries. */
const COLLATOR_VERSION = '57.1';

/** Locales whose rules begin elsewhere than at the root's. Source: CLDR's collation files, by the names of mongod's options. */
const localeDefaults: Readonly<Record<string, Partial<Collation>>> = {
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

/** A collation with all its fields, in the order in which mongod shows them. */
interface Collation {
  readonly locale: string;
  readonly caseLevel: boolean;
  readonly caseFirst: string;
  readonly strength: number;
  readonly numericOrdering: boolean;
  readonly alternate: string;
  readonly maxVariable: string;
  readonly normalization: boolean;
  readonly backwards: boolean;
}

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
 * Errors: 40414 without a locale, 40415 for an unknown field, TypeMismatch 14, BadValue 2 for what makes no sense.
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
  return write(collation);
}

function read(fields: Fields, locale: string): Collation {
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

function check({ backwards, strength, caseFirst, caseLevel }: Collation, sent: Uint8Array): void {
  if (backwards && strength === 1) throw bad("'backwards' needs a 'strength' above 1", sent);
  if (caseFirst !== 'off' && !caseLevel && strength < 3) {
    throw bad("'caseFirst' needs 'caseLevel' or a 'strength' above 2", sent);
  }
}

function write(collation: Collation): Uint8Array {
  const writer = new BsonWriter();
  for (const [name, value] of Object.entries(collation)) {
    if (typeof value === 'boolean') writer.bool(name, value);
    else if (typeof value === 'number') writer.int32(name, value);
    else writer.string(name, value);
  }
  writer.string('version', COLLATOR_VERSION);
  return writer.finish();
}

function choice(fields: Fields, name: keyof typeof choices, absent: string): string {
  const value = fields.string(name);
  if (value === undefined) return absent;
  if ((choices[name] as readonly string[]).includes(value)) return value;
  throw new CommandError('BadValue', `'${value}' is no value of the field 'collation.${name}'`);
}

function strength(fields: Fields): number {
  const value = fields.number('strength');
  if (value === undefined) return 3;
  if (value >= 1 && value <= 5) return value;
  throw new CommandError('BadValue', `'${value}' is no value of the field 'collation.strength'`);
}

function bad(reason: string, sent: Uint8Array): CommandError {
  return new CommandError('BadValue', `${reason}: ${describeDocument(sent)}`);
}

/**
 * Looks at a collation, and gives it with all its fields; undefined for plain comparison. Simplification: strings are compared
 * by code points under every collation. Errors: those of `completeCollation`.
 */
export function checkCollation(collation: Uint8Array | undefined): Uint8Array | undefined {
  return collation && collation.length > 5 ? completeCollation(collation) : undefined;
}
