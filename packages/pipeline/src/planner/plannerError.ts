import { CommandError, type ErrorCodeName } from '@replsim/protocol';

/** An error from before anything was carried out, so that no context of a plan stands before the message. */
export class BeforePlanError extends CommandError {}

/** What the planner refuses. */
export class PlannerError extends BeforePlanError {
  /** @param about what was asked; it begins the message */
  constructor(code: ErrorCodeName, errmsg: string, about = '') {
    super(code, `${about}planner returned error :: caused by :: ${errmsg}`);
  }
}
