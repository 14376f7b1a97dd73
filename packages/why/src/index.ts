export { Branches } from './branches.ts';
export { Causes, type Tell } from './causes.ts';
export { Reasons } from './reasons.ts';
export type { CauseLink } from './toldOnce.ts';
export { Walls } from './walls.ts';
