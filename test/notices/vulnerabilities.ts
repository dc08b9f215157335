import { z } from 'zod';

const Advisory = z.object({ title: z.string(), url: z.string() });

/** What `npm audit --json` prints, of version 2: packages by name, each with the folders it lies in. */
const Report = z.object({
  auditReportVersion: z.literal(2),
  vulnerabilities: z.record(
    z.string(),
    z.object({
      severity: z.string(),
      range: z.string(),
      nodes: z.array(z.string()),
      /** Advisories, and names of packages whose vulnerability it has by needing them. */
      via: z.array(z.union([z.string(), Advisory])),
    }),
  ),
});

type Findings = {
  /** A line for each vulnerable package that ships. */
  readonly shipped: readonly string[];
  /** How many vulnerable packages are tools. */
  readonly tools: number;
};

/**
 * Sorts the report of `npm audit --json` by whether a package ships, which npm cannot tell: what the bundler takes in is a
 * development dependency.
 *
 * @param paths folders of the packages that ship, from the project's root
 * @throws if npm could not ask the registry, with its reason
 */
export const findingsOf = (json: string, paths: ReadonlySet<string>): Findings => {
  const report = Report.safeParse(JSON.parse(json));
  if (!report.success) {
    const { message, error } = z
      .object({ message: z.string().optional(), error: z.object({ summary: z.string() }).optional() })
      .parse(JSON.parse(json));
    throw new Error(`npm could not ask for known vulnerabilities: ${message ?? error?.summary ?? json}`);
  }
  const all = Object.entries(report.data.vulnerabilities);
  const shipped = all.filter(([, { nodes }]) => nodes.some((path) => paths.has(path)));
  return {
    shipped: shipped.map(([name, { severity, range, via }]) => {
      const reasons = via.map((one) => (typeof one === 'string' ? one : `${one.title}, ${one.url}`));
      return `${severity}: ${name} ${range}: ${reasons.join('; ')}`;
    }),
    tools: all.length - shipped.length,
  };
};
