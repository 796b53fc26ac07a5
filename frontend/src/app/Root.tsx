import { Outlet } from '@tanstack/react-router';
import { Toasts } from '@/ui';

/** What every page stands in, logged in or not. */
export function Root() {
  return (
    <>
      <Outlet />
      <Toasts />
    </>
  );
}
