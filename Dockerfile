# What the command is made of is the same everywhere, and compilers are most at home here.
FROM node:22-bookworm-slim AS build
WORKDIR /replsim
COPY . .
RUN npm ci && npm run build && npm pack --workspace=replsim

# As anybody installs it, with the one native addon, for disks, which belongs to the system that it runs on.
FROM node:22-alpine AS installed
WORKDIR /replsim
COPY --from=build /replsim/replsim-*.tgz replsim.tgz
RUN npm install --omit=dev --omit=peer --no-save ./replsim.tgz level@10

FROM node:22-alpine
COPY --from=installed /replsim/node_modules /replsim/node_modules
RUN ln -s /replsim/node_modules/.bin/replsim /usr/local/bin/replsim && mkdir -p /data/db && chown -R node:node /data
COPY container /replsim/container
USER node
WORKDIR /project
# Of a set served with --dbpath /data.
VOLUME /data
EXPOSE 27017-27019
HEALTHCHECK --interval=5s --start-period=5s CMD ["node", "/replsim/container/health.mjs"]
# A command of replsim, or what the official image of mongod is given: mongod --replSet rs0 --bind_ip_all.
ENTRYPOINT ["/replsim/container/entrypoint.sh"]
CMD ["serve"]
