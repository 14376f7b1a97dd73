import type { Plan } from '@replsim/pipeline';
import type { ReadRun, ReadSpec } from './readSpec.ts';
import type { StageNode } from './stageNode.ts';

/** One command as explain sees it: what it reads, and what it would do with it. */
export interface Explained {
  readonly ns: string;
  readonly spec: ReadSpec;
  /** Puts the command's own stage on top. @param run what carrying the reading out gave */
  readonly top?: (input: StageNode, plan: Plan | undefined, run: ReadRun | undefined) => StageNode;
  /** The number of documents is known without reading; gives the stage for it. */
  readonly fastCount?: (count: number, hasRun: boolean) => StageNode;
}
