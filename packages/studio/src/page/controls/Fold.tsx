import ChevronRight from 'lucide-react/icons/chevron-right';
import { type ReactNode, useId, useState } from 'react';

interface Props {
  readonly title: string;
  readonly className?: string;
  /** Whether it is open at first. */
  readonly isOpen?: boolean;
  readonly onTurn?: (isOpen: boolean) => void;
  /** Is there only while it is open. */
  readonly children: ReactNode;
}

/** Something below its title, for whoever opens it. A button that says so is all that it takes: a library's would be larger than this. */
export function Fold({ title, className = '', isOpen = false, onTurn, children }: Props): ReactNode {
  const id = useId();
  const [isShown, setShown] = useState(isOpen);
  const turn = () => {
    setShown(!isShown);
    onTurn?.(!isShown);
  };
  return (
    <div className={`fold ${className}`}>
      <button
        type="button"
        className="fold-title"
        aria-expanded={isShown}
        aria-controls={isShown ? id : undefined}
        onClick={turn}
      >
        <ChevronRight size={14} aria-hidden="true" />
        {title}
      </button>
      {isShown && <div id={id}>{children}</div>}
    </div>
  );
}
