"""The Kubernetes manifests: valid by the published schemas, built by kustomize, locked down, with secrets as files."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from config.components import secret_files
from config.servers import prepare
from tests.security.front import ROOT

BASE = ROOT / "deploy" / "kubernetes"
ALERTS = ROOT / "docs" / "watching" / "alerts.yml"
MONITORING = BASE / "monitoring"  # a component
DOCS = (ROOT / "docs" / "operations" / "systemd-kubernetes.md").read_text("utf-8")
VERSIONS = ("1.30", "1.35")  # of Kubernetes
KUBECTL = shutil.which("kubectl")


def read(text: str) -> list[dict[str, Any]]:
    return [each for each in yaml.safe_load_all(text) if each]


KUSTOMIZATION = yaml.safe_load((BASE / "kustomization.yaml").read_text())
RESOURCES = [each for name in KUSTOMIZATION["resources"] for each in read((BASE / name).read_text())]
PODS = {
    each["metadata"]["name"]: each["spec"]["template"]["spec"]
    for each in RESOURCES
    if "template" in each.get("spec", {})
}
VARIABLES = dict(line.split("=", 1) for line in (BASE / "sunwi.env").read_text().splitlines() if line)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("resource", RESOURCES, ids=lambda each: f"{each['kind']}-{each['metadata']['name']}")
def test_each_resource_is_valid_by_the_schema_of_its_kind(resource: dict[str, Any], version: str) -> None:
    kubernetes_validate.validate(resource, version, strict=True)


@pytest.mark.skipif(KUBECTL is None, reason="kubectl is not on this machine")
def test_kustomize_builds_them_with_one_name_for_the_image_and_the_variables() -> None:
    done = subprocess.run([str(KUBECTL), "kustomize", str(BASE)], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    built = read(done.stdout)
    assert len(built) == len(RESOURCES) + 1  # the variables
    [variables] = [each["metadata"]["name"] for each in built if each["kind"] == "ConfigMap"]
    for each in built:
        kubernetes_validate.validate(each, VERSIONS[-1], strict=True)
        if each["kind"] in ("Deployment", "Job"):
            [container] = each["spec"]["template"]["spec"]["containers"]
            assert container["image"] == "registry.example/sunwi:0.1.0"
            assert container["envFrom"] == [{"configMapRef": {"name": variables}}]


@pytest.mark.skipif(KUBECTL is None, reason="kubectl is not on this machine")
def test_an_overlay_with_the_component_has_the_monitor_too(tmp_path: Path) -> None:
    shutil.copytree(BASE, tmp_path / "kubernetes")
    overlay = tmp_path / "mine"
    overlay.mkdir()
    named = {"resources": ["../kubernetes"], "components": ["../kubernetes/monitoring"]}
    (overlay / "kustomization.yaml").write_text(yaml.safe_dump(named))

    done = subprocess.run([str(KUBECTL), "kustomize", str(overlay)], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    kinds = [each["kind"] for each in read(done.stdout)]
    assert (kinds.count("PodMonitor"), kinds.count("PrometheusRule"), len(kinds)) == (1, 1, len(RESOURCES) + 3)
    assert "components: [../deploy/kubernetes/monitoring]" in DOCS


def test_the_rule_has_the_alerts_of_the_file_for_prometheus() -> None:
    [rule] = read((MONITORING / "rules.yaml").read_text("utf-8"))

    assert (rule["apiVersion"], rule["kind"]) == ("monitoring.coreos.com/v1", "PrometheusRule")
    assert rule["spec"] == yaml.safe_load(ALERTS.read_text("utf-8")), "run `make rules`"
    assert yaml.safe_load((MONITORING / "kustomization.yaml").read_text())["resources"] == [
        "pod-monitor.yaml", "rules.yaml",
    ]  # fmt: skip  # as a list


def test_the_monitor_asks_the_ports_that_print_metrics_with_the_token() -> None:
    [monitor] = read((MONITORING / "pod-monitor.yaml").read_text())
    endpoints = monitor["spec"]["podMetricsEndpoints"]
    ports = {
        port["name"]: (name, port["containerPort"])
        for name, pod in PODS.items()
        for port in pod["containers"][0].get("ports", [])
    }
    variables = {each["name"]: each.get("value") for each in PODS["worker"]["containers"][0]["env"]}
    [own] = PODS["web"]["containers"][0]["env"]

    assert {each["port"] for each in endpoints} == set(ports) == {"http", "metrics"}
    assert ports["metrics"] == ("worker", int(variables["METRICS_PORT"]))
    assert variables["METRICS_ADDRESS"] == "0.0.0.0"  # noqa: S104 - the address inside a pod
    assert (own["name"], own["valueFrom"]["fieldRef"]["fieldPath"]) == ("POD_IP", "status.podIP")
    for each in endpoints:
        assert each["path"] == "/metrics"
        assert each["authorization"]["credentials"] == {"name": "sunwi", "key": "metrics_token"}
    labels = monitor["spec"]["selector"]["matchExpressions"][0]["values"]
    assert set(labels) == {name for name, _ in ports.values()}


def test_every_file_is_part_of_it() -> None:
    named = {*KUSTOMIZATION["resources"], *KUSTOMIZATION["configMapGenerator"][0]["envs"], "kustomization.yaml"}

    assert {file.name for file in BASE.iterdir()} == named | {MONITORING.name}
    assert set(PODS) == {"migrate", "web", "worker", "beat"}


@pytest.mark.parametrize("name", PODS)
def test_each_pod_has_no_rights_a_disk_to_read_and_its_secrets_as_files(name: str) -> None:
    pod = PODS[name]
    [container] = pod["containers"]

    assert (pod["automountServiceAccountToken"], pod["securityContext"]["runAsNonRoot"]) == (False, True)
    assert pod["securityContext"]["runAsUser"] == 10001
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert {each["mountPath"] for each in container["volumeMounts"]} == {"/run/secrets", "/tmp"}  # noqa: S108 - a path inside the pod
    assert all("secretKeyRef" not in str(each) for each in container.get("env", []))
    assert {"requests", "limits"} == set(container["resources"])


def test_variables_name_files_for_all_secrets_and_hold_none() -> None:
    files = {name.removesuffix("_FILE"): value for name, value in VARIABLES.items() if name.endswith("_FILE")}

    assert set(files) <= set(secret_files.NAMES)
    assert {Path(value).parent for value in files.values()} == {Path("/run/secrets")}
    assert {Path(value).name for value in files.values()} <= {*prepare.MADE, *prepare.GIVEN}
    assert not set(VARIABLES) & set(secret_files.NAMES) - {"DATABASE_URL", "REDIS_URL", "CACHE_URL", "BROKER_URL"}
    assert not [value for value in VARIABLES.values() if value.count(":") > 2]


def test_secrets_of_the_guide_are_those_that_pods_read() -> None:
    wanted = {pod["volumes"][0]["secret"]["secretName"] for pod in PODS.values()}

    assert wanted == {"sunwi", "sunwi-migrate"}
    for name in wanted:
        assert f"kubectl -n sunwi create secret generic {name} " in DOCS
    for name in {Path(value).name for value in VARIABLES.values() if "/run/secrets/" in value} | {"migrate_password"}:
        assert f"secrets/{name}" in DOCS, name


def test_probes_ask_what_is_there_by_a_name_that_is_allowed() -> None:
    [web] = PODS["web"]["containers"]
    probes = {kind: web[f"{kind}Probe"]["httpGet"] for kind in ("startup", "liveness", "readiness")}

    assert {kind: probe["path"] for kind, probe in probes.items()} == {
        "startup": "/healthz",
        "liveness": "/healthz",
        "readiness": "/readyz",
    }
    hosts = {header["value"] for probe in probes.values() for header in probe["httpHeaders"]}
    assert hosts <= set(VARIABLES["ALLOWED_HOSTS"].split(","))


def test_a_web_pod_is_taken_out_of_the_service_before_it_refuses_connections_and_has_time_to_end() -> None:
    [deployment] = [each for each in RESOURCES if each["kind"] == "Deployment" and each["metadata"]["name"] == "web"]
    [web] = PODS["web"]["containers"]
    [program, seconds] = web["lifecycle"]["preStop"]["exec"]["command"]
    command = (ROOT / "Dockerfile").read_text("utf-8").rpartition("CMD [")[2]
    [kill_after] = re.findall(r'"--workers-kill-timeout", "(\d+)"', command)

    assert program == "sleep"
    assert int(seconds) >= 10
    assert int(seconds) + int(kill_after) + 5 <= PODS["web"]["terminationGracePeriodSeconds"]
    assert deployment["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] == 0


def test_web_pods_stand_on_different_nodes_and_one_at_a_time_may_be_drained() -> None:
    [deployment] = [each for each in RESOURCES if each["kind"] == "Deployment" and each["metadata"]["name"] == "web"]
    [budget] = [each for each in RESOURCES if each["kind"] == "PodDisruptionBudget"]
    [spread] = PODS["web"]["topologySpreadConstraints"]
    selector = deployment["spec"]["selector"]

    assert deployment["spec"]["replicas"] > budget["spec"]["maxUnavailable"] == 1
    assert budget["spec"]["selector"] == spread["labelSelector"] == selector


def test_commands_are_those_of_the_compose_file() -> None:
    compose = (ROOT / "docker-compose.yml").read_text()
    for name in ("worker", "beat", "migrate"):
        text = compose.partition(f"\n  {name}:\n")[2].partition("command: ")[2].partition("]\n")[0] + "]"
        assert PODS[name]["containers"][0]["command"] == yaml.safe_load(text)
    assert "command" not in PODS["web"]["containers"][0]
