/** A server that plays scenarios when somebody has changed something. */
export type CiServer = 'github' | 'gitlab' | 'jenkins';

/** A file to begin with. */
export interface FirstFile {
  /** From the project's folder. */
  readonly path: string;
  readonly what: string;
  readonly text: string;
}

/** What is added to the scripts of `package.json`. */
export const SCRIPT = { name: 'scenarios', command: 'replsim run scenarios' } as const;

export const SCENARIO: FirstFile = {
  path: 'scenarios/failover.yaml',
  what: 'a first scenario',
  text: `# yaml-language-server: $schema=../node_modules/replsim/dist/schema.json
name: When the primary is killed, another member takes over and has what was acknowledged
description: >
  A write with w majority is on two of three members before the client hears of it, so whichever of the others wins
  the election has it.
replicaSet: { members: [n1, n2, n3] }
steps:
  - eventually: { within: 30s, primary: any }
  - insert: { into: app.orders, documents: [{ _id: 1, item: pen }], writeConcern: { w: majority } }
  - kill: primary
  - eventually: { within: 30s, primary: any }
  - expect: { on: primary, count: app.orders, is: 1 }
`,
};

export const CI_FILES: Readonly<Record<CiServer, FirstFile>> = {
  github: {
    path: '.github/workflows/scenarios.yml',
    what: 'plays them on GitHub',
    text: `name: scenarios
on: [push, pull_request]
permissions:
  contents: read
jobs:
  scenarios:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - run: npm install
      - run: npx --no-install replsim run scenarios --reporter pretty --reporter github --reporter html --output scenarios.html
      - uses: actions/upload-artifact@v4
        if: \${{ !cancelled() }}
        with:
          name: scenarios
          path: scenarios.html
`,
  },
  gitlab: {
    path: '.gitlab-ci.yml',
    what: 'plays them on GitLab',
    text: `scenarios:
  image: node:22-alpine
  script:
    - npm install
    - npx --no-install replsim run scenarios --reporter pretty --reporter junit --output scenarios.xml --reporter html --output scenarios.html
  artifacts:
    when: always
    paths: [scenarios.html]
    reports:
      junit: scenarios.xml
`,
  },
  jenkins: {
    path: 'Jenkinsfile',
    what: 'plays them on Jenkins',
    text: `pipeline {
  agent { docker { image 'node:22-alpine' } }
  // Whoever runs in the container has no home to write to.
  environment { npm_config_cache = '.npm' }
  stages {
    stage('Scenarios') {
      steps {
        sh 'npm install'
        sh 'npx --no-install replsim run scenarios --reporter pretty --reporter junit --output scenarios.xml --reporter html --output scenarios.html'
      }
    }
  }
  post {
    always {
      junit 'scenarios.xml'
      archiveArtifacts 'scenarios.html'
    }
  }
}
`,
  },
};
