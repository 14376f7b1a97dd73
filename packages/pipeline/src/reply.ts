/** A reply as a plain object in field order; documents in it are `RawBson`, int64s are bigint or Long. */
export type Reply = Record<string, unknown>;
