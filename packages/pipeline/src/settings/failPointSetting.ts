import { BsonType, CommandError, decodePromoted, encodeDocument, readString } from '@replsim/protocol';
import { compileFilter } from '@replsim/query';
import { Fields } from '../fields/fields.ts';
import { bytesOf, INT32_MAX, numberOf } from '../fields/values.ts';
import type { FailPointData, FailPointMode } from './failPoints.ts';

/** How a fail point is to be switched. */
export interface FailPointSetting {
  readonly mode: FailPointMode;
  readonly data: FailPointData;
}

/**
 * Reads `mode` and `data` of a fail point. Errors: BadValue 2 and FailedToParse 9 for a mode that makes no sense.
 * Upstream: fail_point.cpp, FailPoint::parseBSON.
 */
export function failPointSetting(name: string, fields: Fields): FailPointSetting {
  const data = fields.document('data');
  const mode = modeOf(fields);
  if (name === 'stopReplProducerOnDocument' && mode !== 'off') checkDocument(data);
  return { mode, data: data ? (decodePromoted(data) as FailPointData) : {} };
}

/**
 * The same of a command line's `failpoint.NAME`: a document, or JSON with whatever quotes, as mongo's own tests write it.
 * Upstream: fail_point.cpp, FailPointServerParameter::setFromString.
 */
export function failPointSettingOf(name: string, value: unknown): FailPointSetting {
  const given = typeof value === 'string' ? parseJson(name, value) : value;
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new CommandError('BadValue', `failpoint.${name}: a document is expected: { mode: 'alwaysOn' }`);
  return failPointSetting(name, new Fields(encodeDocument(given as Record<string, unknown>), `failpoint.${name}`));
}

/** What a shell's own parser takes: names without quotes, and texts in single ones. Upstream: json.cpp, JParse. */
function parseJson(name: string, text: string): unknown {
  const strict = text.replace(
    /"(?:[^"\\]|\\.)*"|'((?:[^'\\]|\\.)*)'|([A-Za-z_$][\w$.]*)(?=\s*:)/g,
    (all, single, key) => {
      if (key !== undefined) return JSON.stringify(key);
      return single === undefined ? all : JSON.stringify(single.replace(/\\(.)/g, '$1'));
    },
  );
  try {
    return JSON.parse(strict);
  } catch (error) {
    throw new CommandError('FailedToParse', `failpoint.${name}: this is no JSON: ${text}`, { cause: error });
  }
}

/** A filter for entries of the oplog; mongod looks at it when a batch has come, and its fetcher fails then. */
function checkDocument(data: Uint8Array | undefined): void {
  const document = data && new Fields(data, 'data').rawValue('document');
  if (document?.type !== BsonType.object) {
    throw new CommandError('BadValue', "'data' must have a filter for entries of the oplog as 'document'");
  }
  compileFilter(bytesOf(document));
}

function modeOf(args: Fields): FailPointMode {
  const mode = args.rawValue('mode');
  if (!mode) throw new CommandError('FailedToParse', 'FailPoint mode must be given');
  if (mode.type === BsonType.string) {
    const text = readString(mode);
    if (text === 'off' || text === 'alwaysOn') return text;
    throw new CommandError('BadValue', `unknown mode: ${text}`);
  }
  if (mode.type !== BsonType.object) {
    throw new CommandError('TypeMismatch', "'mode' must be a string or a document");
  }
  const fields = new Fields(bytesOf(mode), 'mode');
  const count = (name: string): number | undefined => {
    const value = fields.number(name);
    if (value !== undefined && (value < 0 || value > INT32_MAX))
      throw new CommandError('BadValue', `'${name}' option to 'mode' must be between 0 and 2147483647`);
    return value;
  };
  const times = count('times');
  if (times !== undefined) return { times };
  const skip = count('skip');
  if (skip !== undefined) return { skip };
  const probability = fields.numeric('activationProbability');
  if (!probability) {
    throw new CommandError(
      'BadValue',
      "'mode' must be one of 'off', 'alwaysOn', 'times', 'skip' and 'activationProbability'",
    );
  }
  const activationProbability = numberOf(probability);
  if (!(activationProbability >= 0 && activationProbability <= 1)) {
    throw new CommandError('BadValue', 'activationProbability must be between 0.0 and 1.0');
  }
  return { activationProbability };
}
