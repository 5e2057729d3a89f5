/** Says what the settings of a deployment leave unprotected. */

/** Returns what the settings leave unprotected or may mean in another way, one sentence or more for each. */
export function warningsOf({
  stage,
  alarmEmail,
  backupRegion,
  existingSecret,
  ...others
}: Readonly<Record<string, unknown>>): string[] {
  const isProd = stage === 'prod';
  return [
    ...(others.dashboard === false && others.metricsDashboard === undefined
      ? [
          '--no-dashboard leaves out the dashboard. For the dashboard of CloudWatch, use --no-metrics-dashboard.',
        ]
      : []),
    ...(isProd && others.gradualDeployment === false && others.emulatorEndpoint === undefined
      ? [
          'with --no-gradual-deployment, the new code gets all calls at once, and nothing goes back by itself. Leave it out for prod.',
        ]
      : []),
    ...(isProd && alarmEmail === undefined
      ? ['without --alarm-email, nobody learns of a failure. Set it for prod.']
      : []),
    ...(isProd && others.securityContact === undefined
      ? [
          'without --security-contact, there is no /.well-known/security.txt, so nobody knows whom to tell about a vulnerability. Set it for prod.',
        ]
      : []),
    ...(isProd && backupRegion === undefined
      ? ['without --backup-region, the data does not survive the loss of the region. Set it for prod.']
      : []),
    ...(backupRegion !== undefined && existingSecret !== undefined
      ? [
          `the stacks do not change the secrets of an existing table. Replicate them to ${backupRegion} yourself, as docs/operate/maintenance-and-restore.md explains.`,
        ]
      : []),
  ];
}
