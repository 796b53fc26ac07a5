/** The server's rules for names and passwords, told before the form is sent. The server decides. */

const NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,62}$/;
const SHORTEST = 10; // characters, not UTF-16 units

export function nameFault(name: string): 'name' | undefined {
  return NAME.test(name) ? undefined : 'name';
}

export function passwordFault(password: string): 'short' | undefined {
  return [...password].length < SHORTEST ? 'short' : undefined;
}
