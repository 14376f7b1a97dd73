# What the command is made of is the same everywhere, and compilers are most at home here.
FROM node:22-bookworm-slim AS build
WORKDIR /replsim
COPY . .
RUN npm ci && npm run build

# The one native addon, for disks, belongs to the system that it runs on.
FROM node:22-alpine AS dependencies
WORKDIR /replsim
COPY package.json package-lock.json .npmrc ./
COPY packages packages
RUN npm ci --omit=dev --omit=optional --omit=peer --workspace=replsim

FROM node:22-alpine
WORKDIR /replsim
COPY --from=dependencies /replsim/node_modules node_modules
COPY --from=build /replsim/packages/replsim/package.json packages/replsim/
COPY --from=build /replsim/packages/replsim/bin packages/replsim/bin
COPY --from=build /replsim/packages/replsim/dist/bundle-cjs packages/replsim/dist/bundle-cjs
COPY --from=build /replsim/packages/replsim/dist/studio packages/replsim/dist/studio
RUN ln -s /replsim/packages/replsim/bin/replsim.js /usr/local/bin/replsim && mkdir -p /data && chown node:node /data
USER node
WORKDIR /project
# Of a set served with --dbpath /data.
VOLUME /data
EXPOSE 27017-27019
ENTRYPOINT ["replsim"]
CMD ["serve"]
