export { Reasons } from './reasons.ts';
