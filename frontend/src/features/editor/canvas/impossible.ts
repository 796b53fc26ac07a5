import { type Doc, placesOf } from '@/document';

/** The dependencies that are written and cannot be, each from the task that is needed to the one that needs it. */
export function impossibleIn(doc: Doc): readonly (readonly [from: string, to: string])[] {
  const places = placesOf(doc);
  return doc.jobs.flatMap((job, lane) =>
    (job.tasks ?? []).flatMap((task) =>
      (task.needs ?? []).flatMap((need): [string, string][] => {
        const at = places.get(need);
        return at && at.job >= lane && need !== task.key ? [[need, task.key]] : [];
      }),
    ),
  );
}
