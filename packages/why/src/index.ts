export { Branches } from './branches.ts';
export { Causes, type Tell } from './causes.ts';
export { showConcern } from './losses/keepingConcern.ts';
export { type Loss, Losses, type WrittenEntry } from './losses/losses.ts';
export { forcedText } from './losses/lossText.ts';
export { Reasons } from './reasons.ts';
export { Subjects } from './subjects.ts';
export type { CauseLink } from './toldOnce.ts';
export { Walls } from './walls.ts';
