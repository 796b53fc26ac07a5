import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestModule } from 'vitest/node';

/**
 * Prints one line for each failure, as the last output of a run: the last lines of a long log then name every failed
 * test with its line, what it waited for and what its page showed, and every file or group of tests whose preparation
 * failed.
 */
export default class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const line of modules.flatMap(failures)) process.stderr.write(`failed: ${line}\n`);
  }
}

interface Failure {
  message: string;
  stacks?: { file: string; line: number }[];
}

/** The first line of a message, and what Playwright was waiting for: it says so in its call log. */
function brief(message: string): string {
  const plain = stripVTControlCharacters(message);
  const waiting = /^\s*- (waiting for .*)$/m.exec(plain)?.[1];
  return [plain.split('\n')[0]?.slice(0, 200), waiting?.slice(0, 200)].filter(Boolean).join(' · ');
}

function failures(module: TestModule): string[] {
  const found = (name: string, errors: readonly Failure[]) =>
    errors.map((error) => {
      const line = error.stacks?.find((place) => place.file === module.moduleId)?.line;
      return `${module.relativeModuleId}${line ? `:${String(line)}` : ''} > ${name}: ${brief(error.message)}`;
    });
  return [
    ...found('(file)', module.errors()),
    ...[...module.children.allSuites()].flatMap((suite) => found(suite.fullName, suite.errors())),
    ...[...module.children.allTests('failed')].flatMap((test) => found(test.fullName, test.result().errors ?? [])),
    ...[...module.children.allTests('failed')].flatMap((test) => {
      const { page } = test.meta() as { page?: string };
      return page ? [`${test.name}: its page was: ${page}`] : [];
    }),
  ];
}
