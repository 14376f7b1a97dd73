import { decodeDocument, encodeDocument, isNullOpTime, NULL_OP_TIME, type OpTime } from '@replsim/protocol';

/** What a checkpoint says of itself. */
export interface CheckpointMetadata {
  /** Its data are those of this opTime; null where a standalone took it, or nothing was stable. */
  readonly stable: OpTime;
  /** How many unreplicated records it holds, of all that ever were. */
  readonly unreplicated: number;
  /** How many of them are no longer in the journal. */
  readonly unreplicatedDropped: number;
  /** The cap that `replSetResizeOplog` set; undefined if it never did. */
  readonly oplogSizeBytes: number | undefined;
}

export function encodeMetadata(metadata: CheckpointMetadata): Uint8Array {
  const { stable, unreplicated, unreplicatedDropped, oplogSizeBytes } = metadata;
  return encodeDocument({
    ...(!isNullOpTime(stable) && {
      stable: { t: BigInt(stable.ts.t), i: BigInt(stable.ts.i), term: BigInt(stable.t) },
    }),
    unreplicatedRecords: BigInt(unreplicated),
    unreplicatedDropped: BigInt(unreplicatedDropped),
    ...(oplogSizeBytes !== undefined && { oplogSizeBytes }),
  });
}

/** @param metadata undefined where there is no checkpoint */
export function decodeMetadata(metadata: Uint8Array | undefined): CheckpointMetadata {
  const fields = metadata ? (decodeDocument(metadata) as Record<string, unknown>) : {};
  const stable = fields.stable as Record<'t' | 'i' | 'term', unknown> | undefined;
  return {
    stable: stable ? { ts: { t: Number(stable.t), i: Number(stable.i) }, t: Number(stable.term) } : NULL_OP_TIME,
    unreplicated: Number(fields.unreplicatedRecords ?? 0),
    unreplicatedDropped: Number(fields.unreplicatedDropped ?? 0),
    oplogSizeBytes: fields.oplogSizeBytes === undefined ? undefined : Number(fields.oplogSizeBytes),
  };
}
