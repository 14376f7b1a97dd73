import { BsonType, type BsonValue, CommandError, readString } from '@replsim/protocol';
import { isNumeric, truncateSeconds } from './expiry.ts';

/**
 * The option of a clustered or time-series collection, given to `create` or, with "off", to collMod. Throws CommandError
 * 72 on another string or type, a negative number, or more seconds than have gone by since 1970 on this member's clock.
 * Upstream: index_key_validate.cpp, validateExpireAfterSeconds.
 */
export function collectionExpireAfterSeconds(value: BsonValue, wallMs: number): number | 'off' {
  if (value.type === BsonType.string && readString(value) === 'off') return 'off';
  if (!isNumeric(value)) throw invalid("'expireAfterSeconds' must be a number or 'off'");
  const seconds = truncateSeconds(value);
  if (seconds < 0n) throw invalid("'expireAfterSeconds' cannot be less than 0");
  if (seconds * 1000n > BigInt(Math.floor(wallMs))) throw invalid("'expireAfterSeconds' reaches back before 1970");
  return Number(seconds);
}

function invalid(errmsg: string): CommandError {
  return new CommandError('InvalidOptions', errmsg);
}
