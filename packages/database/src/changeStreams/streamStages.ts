import {
  atOnce,
  documentOf,
  type FilterTree,
  type PipelineWorld,
  parseFilterTree,
  runnerOf,
  type Stage,
} from '@replsim/pipeline';
import { BsonType, CommandError } from '@replsim/protocol';

const SPLIT = '$changeStreamSplitLargeEvent';

/** Upstream: stage_constraints.h, ChangeStreamRequirement::kAllowlist. */
const ALLOWED: ReadonlySet<string> = new Set([
  '$match',
  '$project',
  '$addFields',
  '$set',
  '$unset',
  '$replaceRoot',
  '$replaceWith',
  '$redact',
  SPLIT,
]);

/** What a client makes of the events of its stream. Documents are BSON. */
export interface StreamStages {
  /** Whether an event is wanted at all, asked before images are looked up for it. */
  readonly wantsWithoutImages: (event: Uint8Array) => boolean;
  /** What becomes of an event; undefined if it is left out. */
  readonly shape: (event: Uint8Array) => Uint8Array | undefined;
  /** Events that are too large are divided. */
  readonly splits: boolean;
}

/**
 * The stages behind a `$changeStream`. Errors: IllegalOperation 20 for one that may not stand there, Location7182802 for a
 * `$changeStreamSplitLargeEvent` that is not the last, 7182800 for arguments of it, those of the stages.
 */
export function streamStages(stages: readonly Stage[], world: PipelineWorld): StreamStages {
  for (const { name } of stages) {
    if (!ALLOWED.has(name))
      throw new CommandError('IllegalOperation', `${name} is not permitted in a $changeStream pipeline`);
  }
  const place = stages.findIndex(({ name }) => name === SPLIT);
  if (place >= 0 && place < stages.length - 1) {
    throw new CommandError(7182802, `${SPLIT} must be the last stage in the pipeline`);
  }
  const split = stages[place];
  if (split && (split.spec.type !== BsonType.object || split.spec.size > 5)) {
    throw new CommandError(7182800, `${SPLIT} takes an empty document`);
  }
  const shaping = split ? stages.slice(0, -1) : stages;
  const behind = shaping.findIndex((stage) => !isMatchWithoutImages(stage));
  const early = runnerOf(behind < 0 ? shaping : shaping.slice(0, behind), world);
  const run = runnerOf(shaping, world);
  return {
    wantsWithoutImages: (event) => atOnce(early([event])).length > 0,
    shape: (event) => atOnce(run([event]))[0],
    splits: split !== undefined,
  };
}

/** Upstream moves such a `$match` before the look-up, so that no image is missed for an event that nobody wants. */
function isMatchWithoutImages(stage: Stage): boolean {
  return (
    stage.name === '$match' && stage.spec.type === BsonType.object && !asksForImages(parseFilterTree(documentOf(stage)))
  );
}

function asksForImages(tree: FilterTree): boolean {
  if (tree.kind === 'leaf') return /^fullDocument(BeforeChange)?(\.|$)/.test(tree.path);
  // An expression may name any field.
  return tree.kind === 'other' || tree.of.some(asksForImages);
}
