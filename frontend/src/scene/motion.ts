import { TRAVEL } from './travel';

// Short animations of cards. They run once when something changes, never because a card is mounted while the view
// moves.

/** The parts of a scene that may be animated now: few cards are mounted, and the user does not move the view. */
const LIVELY = '[data-lively]:not([data-shield])';

/** Whether an element of a scene may be animated now. */
function mayMove(element: Element): boolean {
  const wanted = !window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  return wanted && 'animate' in element && element.closest(LIVELY) !== null;
}

const TIMING: KeyframeAnimationOptions = { duration: TRAVEL, easing: 'ease-out' };

/** A new card fades in. */
export function fadeIn(card: HTMLElement): void {
  if (mayMove(card)) card.animate([{ opacity: 0 }, { opacity: 1 }], TIMING);
}

/** A picture of a card that is about to be removed fades out at its place. */
export function fadeOut(card: HTMLElement): void {
  if (!mayMove(card)) return;
  const picture = card.cloneNode(true) as HTMLElement;
  for (const part of [picture, ...picture.querySelectorAll<HTMLElement>('[id], [role], [title]')]) {
    for (const name of ['id', 'role', 'title', 'tabindex', 'data-card', 'data-task', 'data-editable'])
      part.removeAttribute(name);
  }
  picture.setAttribute('aria-hidden', 'true');
  picture.inert = true;
  picture.style.pointerEvents = 'none';
  card.parentElement?.append(picture);
  const animation = picture.animate([{ opacity: 1 }, { opacity: 0 }], { ...TIMING, fill: 'forwards' });
  animation.onfinish = animation.oncancel = () => {
    picture.remove();
  };
}

/** What the change of the state of a task means: its run has started, or it has ended. */
export type Turn = 'started' | 'ended';

/** Shows a turn at the sign of a card: the ring of a run that starts is drawn, the sign of one that ends settles. */
export function showTurn(card: HTMLElement, turn: Turn): void {
  const sign = card.querySelector('svg');
  const path = sign?.querySelector('path');
  if (!sign || !path || !mayMove(card)) return;
  if (turn === 'started') path.animate([{ strokeDasharray: '0 40' }, { strokeDasharray: '40 0' }], TIMING);
  else sign.animate([{ transform: 'scale(1.4)' }, { transform: 'none' }], TIMING);
}
