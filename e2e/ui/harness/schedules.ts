/** A shell task that prints its key. */
export const task = (key: string, needs?: string[]) => ({
  key,
  handler: 'shell',
  params: { command: `echo ${key}` },
  ...(needs && { needs }),
});
/** A schedule of jobs with tasks. */
export const schedule = (name: string, ...jobs: [string, ...ReturnType<typeof task>[]][]) => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name,
  jobs: jobs.map(([key, ...tasks]) => ({ key, tasks })),
});

/** The parts of a definition that tests read back. */
export interface Definition {
  jobs: {
    key: string;
    timeout?: string;
    tasks?: {
      key: string;
      title?: string;
      needs?: string[];
      disabled?: boolean;
      timeout?: string;
      params?: { command?: string };
    }[];
  }[];
}
