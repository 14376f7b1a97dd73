export { loopbackAddress } from './loopback.ts';
export { PortTakenError } from './memberListener.ts';
export type { OutsideAction } from './outsideActions.ts';
export { ServedSet, type ServedStatus, type StepDownOptions } from './servedSet.ts';
export type { ServeOptions } from './serveOptions.ts';
