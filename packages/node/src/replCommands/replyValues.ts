import type { Reply } from '@replsim/pipeline';
import { type OpTime, type Timestamp, toBsonTimestamp } from '@replsim/protocol';
import { Timestamp as BsonTimestamp, Double } from 'bson';

/** `{ ts, t }` as replies carry it. Upstream: optime.h, OpTime::append. */
export function opTimeReply({ ts, t }: OpTime): Reply {
  return { ts: timestampReply(ts), t: BigInt(t) };
}

export function timestampReply(ts: Timestamp): BsonTimestamp {
  return toBsonTimestamp(ts, BsonTimestamp);
}

/** The second of a timestamp as a date; replies show opTimes that way beside the opTime itself. */
export function secondOf({ t }: Timestamp): Date {
  return new Date(t * 1000);
}

/** A number that is a double on the wire even when it is whole. */
export function double(value: number): Double {
  return new Double(value);
}
