export { type CauseLink, Causes, type Tell } from './causes.ts';
export { Reasons } from './reasons.ts';
