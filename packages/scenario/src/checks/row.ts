import type { Reasons } from '@replsim/why';
import type * as z from 'zod';
import type { Path } from '../file/source.ts';
import type { Reader } from '../reading/reader.ts';
import type { Check, CheckPart } from '../scenario.ts';
import type { Members } from '../stage/members.ts';
import type { Refusal } from './refusal.ts';
import type { Sight } from './sight.ts';

/** A check as it stands in a file, plain. */
export type CheckInput = Readonly<Record<string, unknown>>;

/** Other keys of a check, each of which may be left out. */
export type Beside = Readonly<Record<string, z.ZodOptional>>;

/** How a check that stands in another is read. */
export type ReadInner = (path: Path, input: CheckInput) => Check;

/** A key that asks something: how it is written, what that means, and when it holds. */
export interface CheckRow<Shape extends z.ZodType, Companions extends Beside, Part extends CheckPart> {
  /** With a sentence that editors and the reference show. */
  readonly shape: Shape;
  /**
   * Its own companions, which mean nothing without a question. A check has one question at most; a row without `beside` is none,
   * and stands beside any. A question with `on` asks a member.
   */
  readonly beside?: Companions;
  /** Whether the key asks here, and is not the companion of another. */
  asks?(given: unknown): boolean;
  /** Reads what the shape has found right; `path` is the check's. Mistakes that the shape cannot see are reported here. */
  read(
    reader: Reader,
    path: Path,
    given: z.infer<Shape>,
    beside: z.infer<z.ZodObject<Companions>>,
    inner: ReadInner,
  ): Part;
  /** Why it does not hold at this instant. @param refusalOf the same of a check that stands in it */
  judge(part: Part, sight: Sight, refusalOf: (check: Check) => Refusal): Refusal;
  /** What stood in its way, in sentences, as far as the trace can tell. */
  reasons?(part: Part, reasons: Reasons, members: Members): string[];
}

/** Any row, where all are alike. */
export type AnyCheck = CheckRow<z.ZodType, Beside, CheckPart>;

/** A row of the table of checks, whose parts fit each other. */
export function check<Shape extends z.ZodType, Companions extends Beside, Part extends CheckPart>(
  row: CheckRow<Shape, Companions, Part>,
): CheckRow<Shape, Companions, Part> {
  return row;
}
