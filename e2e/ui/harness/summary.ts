import type { Reporter, TestModule } from 'vitest/node';

/**
 * Prints one line for each failure, as the last output of a run: the last lines of a long log then name every failed
 * test, and every file or group of tests whose preparation failed.
 */
export default class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const line of modules.flatMap(failures)) process.stderr.write(`failed: ${line}\n`);
  }
}

function failures(module: TestModule): string[] {
  const found = (name: string, errors: readonly { message: string }[]) =>
    errors.map(
      (error) => `${module.relativeModuleId} > ${name}: ${(error.message.split('\n')[0] ?? '').slice(0, 200)}`,
    );
  return [
    ...found('(file)', module.errors()),
    ...[...module.children.allSuites()].flatMap((suite) => found(suite.fullName, suite.errors())),
    ...[...module.children.allTests('failed')].flatMap((test) => found(test.fullName, test.result().errors ?? [])),
  ];
}
